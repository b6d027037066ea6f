"""The clients that are measured, and how each is built."""
import contextlib
import dataclasses
import os
import shutil
import signal
import subprocess

BENCHMARKS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(BENCHMARKS)
BUILT = os.path.join(BENCHMARKS, ".build-peers")
FLOOR = os.path.join(BENCHMARKS, "floor", "floor")
COUNTER = os.path.join(BENCHMARKS, "floor", "countmalloc.so")
LIBCURL = os.path.join(BUILT, "libcurl")
GO = os.path.join(BUILT, "go-bench")
HYPER = os.path.join(BUILT, "rust", "release", "hyper-bench")
REQWEST = os.path.join(BUILT, "rust", "release", "reqwest-bench")
URLSESSION = os.path.join(BUILT, "urlsession")
AHC = os.path.join(BENCHMARKS, "peers", "AsyncHTTPClient", ".build", "release", "ahc")
HTTP_BENCH = os.path.join(ROOT, ".build", "release", "http-bench")
HTTP_LOAD = os.path.join(ROOT, ".build", "release", "http-load")

# The words that every driver takes.
WORDS = ["{mode}", "{url}", "{n}", "{c}"]


@dataclasses.dataclass(frozen=True)
class Peer:
    """A client: its name in tables, its words, what it can do, and how it is built."""
    title: str
    words: tuple
    modes: frozenset = frozenset({"get", "close", "down"})
    tls: bool = True
    # The most connections; 0 for any number.
    connections: int = 0
    # Whether it prints the line of figures. Otherwise its CPU time is that of the whole process.
    prints_line: bool = True
    # The commands that build it, in the folder of the benchmarks.
    build: tuple = ()
    # The file or folder that has all that a build leaves: without it, the client is built from nothing.
    leaves: str = ""
    # Whether it reads heads, so that it knows the length of a body and the status. The floor parses nothing.
    parses: bool = True


def driver(title, program, *options, **more):
    return Peer(title, (program, *WORDS, *options), **more)


OURS = frozenset({"get", "fetch", "bare", "close", "origins", "idle", "down", "save", "segments", "up", "events", "lines", "json"})
FILES = frozenset({"get", "close", "down", "save", "up"})
OURS_BUILD = (("../scripts/swiftpm", "build", "-c", "release", "--package-path", "../Benchmarks", "--product", "http-bench"),)
OURS_LEAVE = os.path.join(ROOT, ".build")
RUST_LEAVES = os.path.join(BUILT, "rust")
RUST = (("cargo", "build", "-q", "--release", "--offline", "--manifest-path", "peers/rust/Cargo.toml",
         "--config", "peers/rust/.cargo/config.toml", "--target-dir", RUST_LEAVES),)

PEERS = {
    "floor": driver("C floor", FLOOR, leaves=FLOOR, parses=False, modes=FILES,
                    build=(("make", "-s", "-C", "..", "Benchmarks/floor/floor", "Benchmarks/floor/countmalloc.so"),)),
    # The mode save with splice(2) instead of read(2) and write(2).
    "floor-splice": Peer("C floor, splice", (FLOOR, "splice", "{url}", "{n}", "1"), parses=False, tls=False,
                         modes=frozenset({"save", "segments"})),
    "httpclient-loop": driver("HTTPClient, loop", HTTP_BENCH, "--on-loop", modes=OURS, build=OURS_BUILD,
                              leaves=OURS_LEAVE),
    "httpclient": driver("HTTPClient", HTTP_BENCH, modes=OURS, build=OURS_BUILD, leaves=OURS_LEAVE),
    # One stream, in the rows of downloads in parts: only neighboring runs can be compared.
    **{f"httpclient{suffix}-single": Peer(f"HTTPClient{title}, one stream", (HTTP_BENCH, "save", "{url}", "{n}", "1", *options),
                                          modes=frozenset({"segments"}), build=OURS_BUILD)
       for suffix, title, options in (("-loop", ", loop", ("--on-loop",)), ("", "", ()))},
    # The driver has no blocking form of the modes with files.
    "httpclient-blocking": driver("HTTPClient, blocking", HTTP_BENCH, "--blocking", modes=OURS - {"origins", "idle", "save", "segments", "up"},
                                  build=OURS_BUILD, leaves=OURS_LEAVE),
    # The bytes of a body as chunks: the base of the cases with records.
    **{f"chunks{suffix}": Peer("chunks", (program, "down", *WORDS[1:], *options), modes=frozenset({"events", "lines", "json"}))
       for suffix, program, options in (("", HTTP_BENCH, ()), ("-loop", HTTP_BENCH, ("--on-loop",)),
                                        ("-blocking", HTTP_BENCH, ("--blocking",)), ("-floor", FLOOR, ()))},
    "wrk": Peer("wrk", ("wrk", "-t1", "-c{c}", "-d{seconds}s", "{url}"), frozenset({"get", "close"}), prints_line=False),
    # It builds with this client, and is compared with wrk.
    "http-load": Peer("http-load", (HTTP_LOAD, "-c", "{c}", "-d", "{seconds}s", "--json", "-", "{url}"), frozenset({"get"}),
                      tls=False, prints_line=False, build=(
                          ("../scripts/swiftpm", "build", "-c", "release", "--package-path", "../Benchmarks/http-load",
                           "--product", "http-load"),)),
    "hyper": driver("hyper", HYPER, tls=False, modes=FILES, build=RUST, leaves=RUST_LEAVES),
    "reqwest": driver("reqwest", REQWEST, modes=FILES, build=RUST, leaves=RUST_LEAVES),
    "libcurl": driver("libcurl", LIBCURL, leaves=LIBCURL, modes=FILES,
                      build=(("cc", "-O2", "-Wall", "-Werror", "-o", LIBCURL, "peers/libcurl.c", "-lcurl"),)),
    "go": driver("Go net/http", GO, build=(("go", "build", "-o", GO, "peers/go/main.go"),), modes=FILES, leaves=GO),
    "ahc": driver("AsyncHTTPClient", AHC, modes=FILES,
                  leaves=os.path.join(BENCHMARKS, "peers", "AsyncHTTPClient", ".build"),
                  build=(("swift", "build", "-c", "release", "--package-path", "peers/AsyncHTTPClient", "--product", "ahc"),)),
    "urlsession": driver("URLSession", URLSESSION, modes=FILES - {"close"}, tls=False, leaves=URLSESSION,
                         build=(("swiftc", "-O", "-swift-version", "6", "peers/URLSession/main.swift", "-o", URLSESSION),)),
    "curl": Peer("curl", ("curl", "-skf", "-o", os.devnull, "{url}?[1-{n}]"), frozenset({"get", "down", "save", "segments", "up"}),
                 connections=1, prints_line=False),
    # A download in parts over several connections.
    "aria2": Peer("aria2", ("aria2c", "-q", "--no-conf", "--allow-overwrite=true", "--file-allocation=none", "-x{c}", "-s{c}",
                            "-k1M", "--check-certificate=false", "-d{folder}", "-o{name}", "{url}"),
                  frozenset({"save", "segments"}), prints_line=False),
}


def build(commands, log, seconds=None):
    """Runs the commands that build a peer, each for at most these seconds. Returns None, or the reason why one failed."""
    for words in commands:
        with open(log, "w") as file:
            try:
                process = subprocess.Popen(words, cwd=BENCHMARKS, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                           start_new_session=True)
            except OSError as error:
                return f"{words[0]}: {error.strerror}"
            try:
                code = process.wait(seconds)
            except BaseException:
                # An interrupted build leaves no compiler. It may have ended meanwhile, and its group with it.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise
        if code != 0:
            with open(log) as file:
                lines = [line.strip() for line in file if line.strip()]
            errors = [line for line in lines if "error" in line.lower()]
            return f"`{os.path.basename(words[0])} {words[1]}` failed: {(errors or lines or ['no message'])[0]} ({os.path.relpath(log, BENCHMARKS)})"
    return None


def missing(name):
    """Returns None, or the reason why a peer cannot be run."""
    program = PEERS[name].words[0]
    return None if shutil.which(program) else f"{program} is not installed"
