"""Shows that a driver does its work: it must notice a wrong response among right ones."""
import os
import socket
import threading

from . import client
from .peers import PEERS
from .server import Failure

BODY = b"hello, world\n"
# The response that replaces one of the counted ones.
WRONG = {
    "a short body": (b"200 OK", BODY[:-1]),
    "a refused status": (b"503 Service Unavailable", BODY),
}


class Origin(threading.Thread):
    """Answers every request; with `wrong`, the tenth of each connection with that response."""

    def __init__(self, wrong=None):
        super().__init__(daemon=True)
        self.wrong = wrong
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d/" % self.listener.getsockname()[1]

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        rest, count = b"", 0
        with connection:
            try:
                while True:
                    while b"\r\n\r\n" not in rest:
                        if not (piece := connection.recv(65536)):
                            return
                        rest += piece
                    _, _, rest = rest.partition(b"\r\n\r\n")
                    count += 1
                    status, body = self.wrong if self.wrong and count == 10 else (b"200 OK", BODY)
                    connection.sendall(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))
            except OSError:
                pass


def faults(name):
    """Returns why the driver cannot be believed; None if it can."""
    if not PEERS[name].prints_line or not PEERS[name].parses:
        return None

    def measured(wrong):
        origin = Origin(wrong)
        origin.start()
        try:
            client.measure(name, "get", origin.url, 20, 1, dict(os.environ), length=len(BODY))
        except Failure as failure:
            return str(failure)
        finally:
            origin.listener.close()
        return None

    if failure := measured(None):
        return failure
    for title, wrong in WRONG.items():
        if not measured(wrong):
            return f"the driver does not notice {title}"
    return None
