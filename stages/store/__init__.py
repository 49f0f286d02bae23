"""Where replies are kept: the machine's journal, the recordings in git, and the buyer that looks in both before it pays."""
