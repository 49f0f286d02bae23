"""Numbers into words and pages. Imports only schema and runtime."""
