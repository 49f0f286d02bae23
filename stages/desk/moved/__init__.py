"""What ``moot diff`` compares: two states of the record, cell by cell, and the causes of what moved."""
