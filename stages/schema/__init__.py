"""What things are: canonical JSON and digests, settings, matters, rows, ids and tables. Imports none of ours."""
