"""Shows that a driver does its work: it must send the right requests, and notice a wrong response."""
import os
import random
import re
import socket
import tempfile
import threading

from . import client
from .peers import PEERS
from .server import Failure

BODY = b"hello, world\n"
# The big body, in the modes down, save and up.
FILE = random.Random(1).randbytes((3 << 20) + 1)
# The counted requests with small bodies.
N = 20
# The modes and numbers of connections that are tried.
CASES = (("get", 1), ("get", 2), ("close", 1), ("down", 1), ("save", 1), ("up", 1))
# The method of the big request in each of these modes. The warm-up may have others.
BIG = {"down": b"GET", "save": b"GET", "up": b"PUT"}
BODIES = {"get": BODY, "close": BODY, "down": FILE, "save": FILE, "up": b""}


def wrongs(mode, parses):
    """Returns the responses that the driver must notice: a status, a body, and how many bytes of it are not sent."""
    body = BODIES[mode]
    if mode in ("down", "save"):
        # The floor knows when it has all bytes, but reads no head.
        yield "a body cut short", (b"200 OK", body, 1)
    elif parses and body:
        yield "a short body", (b"200 OK", body[:-1], 0)
    if parses:
        yield "a refused status", (b"503 Service Unavailable", body, 0)


class Origin(threading.Thread):
    """Answers every request and records it; with `wrong`, each big one with that response, or the tenth small one."""

    def __init__(self, mode, wrong=None):
        super().__init__(daemon=True)
        self.mode, self.wrong = mode, wrong
        # The heads, and the bodies of PUT requests.
        self.heads, self.bodies = [], []
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
        with connection, connection.makefile("rb") as stream:
            try:
                while head := self.read_head(stream):
                    method = head.split(b" ")[0]
                    body = self.read_body(head, stream)
                    with self.lock:
                        self.heads.append(head)
                        self.bodies += [body] if method == b"PUT" else []
                        is_wrong = method == BIG[self.mode] if self.mode in BIG else len(self.heads) == 10
                    right = (b"200 OK", BODIES[self.mode], 0)
                    status, body, missing = self.wrong if self.wrong and is_wrong else right
                    sent = b"" if method == b"HEAD" else body[:len(body) - missing]
                    connection.sendall(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), sent))
                    if missing:
                        return
            except (OSError, ValueError):
                pass

    @staticmethod
    def read_head(stream):
        lines = []
        while line := stream.readline():
            lines.append(line)
            if line == b"\r\n":
                return b"".join(lines)
        return b""

    @staticmethod
    def read_body(head, stream):
        if length := re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE):
            return stream.read(int(length[1]))
        body = b""
        if re.search(rb"\r\ntransfer-encoding: *chunked", head, re.IGNORECASE):
            while size := int(stream.readline(), 16):
                body += stream.read(size)
                stream.readline()
            stream.readline()
        return body


def differing(name, mode, c, origin, folder):
    """Returns how what was sent or saved differs from what is right; None if it does not."""
    if mode == "down":
        return None
    if mode == "save":
        with open(os.path.join(folder, "saved"), "rb") as file:
            return None if file.read() == FILE else "the saved file is not what the server sent"
    if mode == "up":
        return None if set(origin.bodies) == {FILE} else "the server received other bytes than the file"
    for head in origin.heads:
        if not re.match(rb"GET / HTTP/1\.1\r\n(.+\r\n)*host:", head, re.IGNORECASE):
            return f"it sent {head!r}"
    # The floor learns the length of the response first. http-load sends for a time, and not a number of requests.
    expected = N + 3 * c + (name == "floor")
    if name != "http-load" and len(origin.heads) != expected:
        return f"it sent {len(origin.heads)} requests and not {expected}"
    return None


def fault(name, mode, c, wrong, folder):
    """Returns why one run failed; None if it did not."""
    env = dict(os.environ, SAVE=os.path.join(folder, "saved"), UPLOAD=os.path.join(folder, "upload"))
    for path, content in ((env["SAVE"], b"old" * len(FILE)), (env["UPLOAD"], FILE)):
        with open(path, "wb") as file:
            file.write(content)
    origin = Origin(mode, wrong)
    origin.start()
    try:
        n, length = 1 if mode in BIG else N, None if mode == "up" else len(BODIES[mode])
        client.measure(name, mode, origin.url, n, c, env, seconds=1, length=length)
        # It must notice a wrong response by itself.
        return None if wrong else differing(name, mode, c, origin, folder)
    except (Failure, OSError) as failure:
        return str(failure)
    finally:
        origin.listener.close()


def faults(name):
    """Returns why the driver cannot be believed; None if it can."""
    peer = PEERS[name]
    with tempfile.TemporaryDirectory() as folder:
        for mode, c in CASES:
            if mode not in peer.modes or c > (peer.connections or c) or name == "httpclient-blocking" and c > 1:
                continue
            # wrk compares no lengths and counts no requests.
            if mode in ("get", "close") and not peer.prints_line and name != "http-load":
                continue
            if failure := fault(name, mode, c, None, folder):
                return f"in mode {mode} with {c} connections: {failure}"
            for title, response in wrongs(mode, peer.parses):
                if not fault(name, mode, c, response, folder):
                    return f"the driver does not notice {title} in mode {mode} with {c} connections"
    return None
