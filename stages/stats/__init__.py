"""Arithmetic on arrays, nothing else. Imports none of ours: whoever checks the reckoning needs to read nothing but this folder."""
