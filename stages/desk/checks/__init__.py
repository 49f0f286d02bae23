"""What ``moot verify`` looks at, a file for each kind of evidence."""
