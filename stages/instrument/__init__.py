"""How a judge is asked and its reply read. The instrument itself is configuration; the reader here is code with its own version."""
