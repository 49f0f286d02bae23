"""How a model is asked over HTTP: one wire format a file, one client, one local server, and the switchboard that stages use."""
