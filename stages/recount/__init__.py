"""The second implementation: every published number again, by DuckDB SQL over the published tables and by arithmetic of its own.

It imports neither stats nor metrics, so that an error there cannot hide here. Each metrics file has a module that says how its numbers
arise: from which rows, under which condition, by which formula. ``moot verify`` compares, ``moot audit`` walks the same lines to the rows.
"""
