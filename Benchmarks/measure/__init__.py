"""What `run.py` and `bench.py` share: the peers, the server, and how a client is run and measured."""
