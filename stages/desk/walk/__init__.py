"""The walk of ``moot audit``: from a number to rows, from rows to recorded bytes, and back up to every number that they touch."""
