"""The rows of the results: what each client does in each."""
import dataclasses

from .peers import PEERS
from .server import CHUNKED, FILES

# The order of the clients in tables and plots.
CLIENTS = ["floor", "floor-splice", "httpclient-loop", "httpclient", "httpclient-blocking", "httpclient-loop-single",
           "httpclient-single", "wrk", "http-load", "hyper", "reqwest", "libcurl", "go", "ahc", "urlsession", "curl", "aria2"]
# The bytes of an upload.
UPLOAD = 1 << 30
# The open load of a server that stops: requests a second, the seconds of the run, and when the stop begins and ends.
STALL_RATE, STALL_SECONDS, STALL_BEGIN, STALL_END = 2000, 4, 1.5, 2.5
OURS = ["httpclient-loop", "httpclient", "httpclient-blocking"]


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of a table."""
    name: str
    title: str
    mode: str = "get"
    path: str = "/"
    c: int = 1
    tls: bool = False
    # Variables of the environment.
    env: tuple = ()
    # Only these clients; empty for all that can do it.
    only: tuple = ()
    # What is counted: times of paired runs, those of a start or of a server that stops, or what does not depend on other
    # load.
    count: str = "times"
    # The rate of an open load, as a part of the rate of the closed one; 0 for a closed load.
    load: float = 0

    @property
    def length(self):
        """The bytes of one response."""
        return {"/": 13, "/json": 1024, "/chunks": CHUNKED}.get(self.path) or FILES.get(self.path[1:])

    @property
    def size(self):
        """The bytes of the body that moves, in either direction."""
        return UPLOAD if self.mode == "up" else self.length

    @property
    def is_big(self):
        return self.mode in ("down", "save", "segments", "up")

    @property
    def shares_cpu(self):
        """Whether client and server have one CPU: with one connection, the decisions of the scheduler do not count then."""
        return self.c == 1 and not self.is_big

    def clients(self):
        """Returns the clients that can do it."""
        return [name for name in self.only or CLIENTS if self.allows(name, PEERS[name])]

    def allows(self, name, peer):
        if self.mode == "stall":
            return True
        if self.mode not in peer.modes or self.tls and not peer.tls:
            return False
        # One that has one connection shows whether several connections help.
        if self.c > (peer.connections or self.c) and self.mode != "segments":
            return False
        # A blocking call needs a thread for each connection, and curl starts once for a run.
        if name == "httpclient-blocking" and self.c > 1 or name == "curl" and not self.is_big and self.count != "start":
            return False
        # wrk resumes sessions, and cannot do otherwise. Its time begins before the handshakes: with thousands, nothing is left.
        if name == "wrk" and (("RESUME", "0") in self.env or self.tls and self.c > 1000):
            return False
        # The floor counts the bytes after a Content-Length.
        if name == "floor" and self.path == "/chunks":
            return False
        if self.count == "start":
            return peer.prints_line or name == "curl"
        return self.count == "times" or peer.prints_line


# Without reqwest (native-tls) and AsyncHTTPClient (swift-nio-ssl): they keep no session, so each handshake is full.
RESUMES = ("floor", "httpclient-loop", "httpclient", "wrk", "libcurl", "go")

ROWS = [
    *[Row(f"get-{c}", f"GET of 13 bytes, {c} connection{'s' * (c > 1)}", c=c) for c in (1, 8, 64, 512, 4096)],
    *[Row(f"tls-{c}", f"GET of 13 bytes, {c} connection{'s' * (c > 1)}, TLS 1.3", c=c, tls=True) for c in (1, 8, 64, 512, 4096)],
    Row("json", "GET of 1 KiB of JSON, 64 connections", path="/json", c=64),
    Row("body-1k", "GET of 1 KiB, 8 connections", path="/1k", c=8),
    Row("body-16k", "GET of 16 KiB, 8 connections", path="/16k", c=8),
    Row("body-1m", "GET of 1 MiB, 8 connections", path="/1m", c=8),
    Row("chunks", "GET of 1 MiB in chunks of 64 bytes, 8 connections", path="/chunks", c=8),
    Row("close-8", "new connection for each request, 8 at a time", mode="close", c=8),
    Row("close-tls", "new TLS connection, full handshake, 8 at a time", mode="close", c=8, tls=True, env=(("RESUME", "0"),)),
    Row("close-tls-resumed", "new TLS connection, resumed, 8 at a time", mode="close", c=8, tls=True,
        env=(("RESUME", "1"),), only=RESUMES),
    Row("origins", "10 000 origins in turn, 64 at a time, with at most 256 connections", mode="origins", c=64),
    Row("down", "1 GiB, discarded", mode="down", path="/big"),
    Row("down-tls", "1 GiB, discarded, TLS 1.3", mode="down", path="/big", tls=True),
    Row("save", "1 GiB into a file in memory", mode="save", path="/big"),
    Row("save-tls", "1 GiB into a file in memory, TLS 1.3", mode="save", path="/big", tls=True),
    Row("segments", "1 GiB into a file in memory, in parts over 4 connections", mode="segments", path="/big", c=4),
    Row("segments-tls", "1 GiB into a file in memory, in parts over 4 connections, TLS 1.3", mode="segments", path="/big", c=4, tls=True),
    Row("segments-slow", "64 MiB in parts over 4 connections of 10 MiB/s", mode="segments", path="/slow", c=4),
    Row("segments-slow-tls", "64 MiB in parts over 4 connections of 10 MiB/s, TLS 1.3", mode="segments", path="/slow", c=4, tls=True),
    Row("up", "1 GiB from a file in memory", mode="up", path="/up"),
    Row("up-tls", "1 GiB from a file in memory, TLS 1.3", mode="up", path="/up", tls=True),
    Row("idle", "10 000 idle connections", mode="idle", c=10_000),
    Row("idle-tls", "10 000 idle connections, TLS 1.3", mode="idle", c=10_000, tls=True),
    Row("start", "start of the process, and one GET", count="start"),
    *[Row(f"open-{share}", f"{share} % of the rate of the closed load", c=64, load=share / 100, only=("http-load",))
      for share in (50, 80)],
    Row("stall", "server that stops for 1 s", mode="stall", c=16, count="stall", only=("http-load", "wrk")),
    Row("instructions", "user instructions", count="instructions"),
    Row("instructions-tls", "user instructions, TLS 1.3", count="instructions", tls=True),
    Row("allocations", "allocations", count="allocations"),
    Row("system-calls", "system calls", count="system_calls"),
    Row("system-calls-64", "system calls, 64 connections", c=64, count="system_calls"),
]


def stall_latency(share):
    """Returns the seconds within which this share of the requests is answered, if the others are answered at once."""
    stop = STALL_END - STALL_BEGIN
    return max(0.0, stop - (1 - share) * STALL_SECONDS)
