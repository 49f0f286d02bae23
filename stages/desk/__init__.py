"""The commands that people type, one file each. None of them needs a key or a network unless it says so."""
