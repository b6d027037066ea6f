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


# The modes and numbers of connections that are tried.
CASES = (("get", 1), ("get", 2), ("close", 1))


class Origin(threading.Thread):
    """Answers every request; with `wrong`, the tenth one with that response."""

    def __init__(self, wrong=None):
        super().__init__(daemon=True)
        self.wrong = wrong
        self.count = 0
        self.lock = threading.Lock()
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
        rest = b""
        with connection:
            try:
                while True:
                    while b"\r\n\r\n" not in rest:
                        if not (piece := connection.recv(65536)):
                            return
                        rest += piece
                    _, _, rest = rest.partition(b"\r\n\r\n")
                    with self.lock:
                        self.count += 1
                        is_wrong = self.wrong and self.count == 10
                    status, body = self.wrong if is_wrong else (b"200 OK", BODY)
                    connection.sendall(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))
            except OSError:
                pass


def faults(name):
    """Returns why the driver cannot be believed; None if it can."""
    peer = PEERS[name]
    if name != "http-load" and not (peer.prints_line and peer.parses):
        return None

    def measured(mode, c, wrong):
        origin = Origin(wrong)
        origin.start()
        try:
            client.measure(name, mode, origin.url, 20, c, dict(os.environ), seconds=1, length=len(BODY))
        except Failure as failure:
            return str(failure)
        finally:
            origin.listener.close()
        return None

    for mode, c in CASES:
        if mode not in peer.modes or c > (peer.connections or c) or name == "httpclient-blocking" and c > 1:
            continue
        if failure := measured(mode, c, None):
            return failure
        for title, wrong in WRONG.items():
            if not measured(mode, c, wrong):
                return f"the driver does not notice {title} in mode {mode} with {c} connections"
    return None
