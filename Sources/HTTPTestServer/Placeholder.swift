// Replaced by the server.
