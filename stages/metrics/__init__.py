"""One module for each file in metrics/: the published tables in, a nested tree of plain numbers out. Imports schema, runtime and stats.

The arithmetic itself stands in stats; here it is said which numbers are published, under which name, and with which n beside them.
"""
