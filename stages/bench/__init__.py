"""How a judge is put to work: the requests of its verdicts, and its replies as read. The stages judge and qualify share it."""
