"""Processes of `fetch` that end while a connection is in progress: none may crash.

100 processes time out while a server sends a handshake in two parts. Another 100 compare the server's key
with a file that another thread rewrites at the same time. The random numbers come from a fixed seed.
"""
import collections
import concurrent.futures
import contextlib
import os
import pathlib
import random
import socket
import ssl
import subprocess
import tempfile
import threading
import time

RUNS = 100
BESIDE = 16
# Texts that a crash prints on standard error.
CRASHES = [b"AddressSanitizer", b"LeakSanitizer", b"Fatal error", b"fatal error"]
# The codes of a timeout, or of a connection that the server closed during or after the handshake.
CUT_SHORT = {0, 28, 35, 52, 55, 56}
# The file had the key, or did not.
COMPARED = {0, 90}


class Origin(threading.Thread):
    """Accepts connections until the process ends, and serves each on its own thread."""

    def __init__(self, context, serve):
        super().__init__(daemon=True)
        self.context, self.serve = context, serve
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.served = 0

    def run(self):
        for number in range(1 << 30):
            connection, _ = self.listener.accept()
            threading.Thread(target=self.guard, args=(connection, number), daemon=True).start()

    def guard(self, connection, number):
        with connection:
            connection.settimeout(20)
            try:
                self.serve(self.context, connection, random.Random(number))
                self.served += 1
            except (OSError, ssl.SSLError):
                pass


def half(context, connection, chance):
    """Sends the server's part of a handshake in two pieces, and then closes or waits."""
    received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    state = context.wrap_bio(received, sent, server_side=True)
    received.write(connection.recv(65536))
    try:
        state.do_handshake()
    except ssl.SSLWantReadError:
        pass
    flight = sent.read()
    cut = chance.randrange(len(flight) + 1)
    connection.sendall(flight[:cut])
    if chance.random() < 0.5:
        time.sleep(chance.random() * 0.02)
    connection.sendall(flight[cut:])
    if chance.random() < 0.5:
        connection.recv(65536)


def whole(context, connection, _):
    with context.wrap_socket(connection, server_side=True) as stream:
        stream.recv(65536)
        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        stream.recv(1)


def rewrite(path, contents, chance, is_over):
    """Writes the contents in turn, each in two pieces; some are truncated or are not keys. The first content then
    stays for 20 ms.
    """
    while not is_over.is_set():
        for content in [*contents, b"", chance.randbytes(300)]:
            for bytes in (content, content[:chance.randrange(len(content) + 1)]):
                cut = chance.randrange(len(bytes) + 1)
                with open(path, "wb", buffering=0) as file:
                    file.write(bytes[:cut])
                    file.write(bytes[cut:])
        with open(path, "wb", buffering=0) as file:
            file.write(contents[0])
        time.sleep(0.02)


def faults(fetch, arguments, expected, needed):
    """Runs the processes. `arguments` returns the arguments of a process for its number. Each code in `needed`
    must occur at least once; otherwise the runs did not test what they should.
    """
    codes = collections.Counter()

    def run(number):
        done = subprocess.run([fetch, "-sSk", *arguments(random.Random(number))], capture_output=True,
                              timeout=60, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        codes[done.returncode] += 1
        if done.returncode not in expected or any(mark in done.stderr for mark in CRASHES):
            return f"ended with {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}"
        return None

    with concurrent.futures.ThreadPoolExecutor(BESIDE) as pool:
        yield from filter(None, pool.map(run, range(RUNS)))
    counts = ", ".join(f"{n} ended with {code}" for code, n in sorted(codes.items()))
    yield from (f"none ended with {code}: {counts}" for code in sorted(needed - codes.keys()))


@contextlib.contextmanager
def origin(serve):
    """Starts an origin; its certificate and key are files in a folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"], check=True,
                       capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        server = Origin(context, serve)
        server.start()
        yield server, folder


def handshake_faults(fetch):
    with origin(half) as (server, _):
        yield from faults(fetch, lambda chance: [
            "-m", f"{0.03 + chance.random() * 0.15:.3f}", f"https://127.0.0.1:{server.port}/"], CUT_SHORT, {28})
        if server.served < RUNS / 2:
            yield f"the server sent its part {server.served} times of {RUNS}"


def pin_faults(fetch):
    with origin(whole) as (server, folder):
        key, pin = folder / "key.pem", folder / "pin"
        contents = [subprocess.run(command, check=True, capture_output=True).stdout for command in (
            ["openssl", "pkey", "-in", key, "-pubout"], ["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"],
            ["openssl", "x509", "-in", folder / "cert.pem"])]
        pin.write_bytes(contents[0])
        is_over = threading.Event()
        writer = threading.Thread(target=rewrite, args=(pin, contents, random.Random(1), is_over))
        writer.start()
        try:
            yield from faults(fetch, lambda _: [
                "-o", "/dev/null", "--pinnedpubkey", pin, f"https://127.0.0.1:{server.port}/"], COMPARED, COMPARED)
        finally:
            is_over.set()
            writer.join()
