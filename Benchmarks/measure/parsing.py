"""Measures reading heads and chunks beside picohttpparser, llhttp and httparse.

All programs of one input run at once, on one processor, and take turns: each takes one sample of 2 ms, then the next
one does. A ratio is of two samples of one round. The figure is the median of the ratios, and the spread that of the
middle half. Only the quarter of the rounds with the least total time counts, because a busy sibling of the processor
slows the fastest programs most.

PICO=FOLDER and LLHTTP=FOLDER name folders with the sources of these peers, and WIRE_BENCH=PROGRAM a program that has
been built.
"""
import hashlib
import os
import select
import shutil
import statistics
import subprocess
import tempfile

from . import peers
from .peers import BENCHMARKS, BUILT, ROOT
from .server import Failure
from .targets import Target

HEADS = os.path.join(BENCHMARKS, "heads")
INPUTS = ["small", "cdn", "big", "request"]
CHUNKS = [8, 64, 1024, 65536]
WIRE_BENCH = os.path.join(ROOT, ".build", "release", "wire-bench")
WIRE_BUILD = (("../scripts/swiftpm", "build", "-c", "release", "--package-path", "../Benchmarks", "--product",
               "wire-bench"),)
PARSE_BENCH = os.path.join(peers.RUST_LEAVES, "release", "parse-bench")
# The program of each peer in C. llhttp has two: gcc compiles it best for heads, and clang for chunks.
DRIVERS = {"picohttpparser": os.path.join(BUILT, "pico-bench"), "llhttp": os.path.join(BUILT, "llhttp-bench"),
           "chunks": os.path.join(BUILT, "llhttp-chunks-bench")}
PICO = "https://github.com/h2o/picohttpparser"
PICO_COMMIT = "f8326098f63eefabfa2b6ec595d90e9ed5ed958a"
# The copy that the package of AsyncHTTPClient fetches.
LLHTTP = os.path.join(BENCHMARKS, "peers", "AsyncHTTPClient", ".build/checkouts/swift-nio/Sources/CNIOLLHTTP")
# The programs, in their order: each of ours is next to picohttpparser, and the buffer follows llhttp.
OURS = {"buffer": "", "slice": "-slice"}
PEERS = ["picohttpparser", "httparse", "llhttp"]
ORDER = ["buffer", "picohttpparser", "slice", "httparse", "llhttp"]

# wire-bench understands ROUNDS, too: it would end after so many samples.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "ROUNDS"} | {"PACED": "1"}
# The longest time to wait for a program, in seconds.
LIMIT = 20


def of_heads(peer, ours):
    """The ratio of ours to the peer, for the head of an input."""
    return lambda report, name: report.parsing["heads"].get(name, {}).get(peer, {}).get(ours, [None])[0]


TARGETS = [
    *[Target(f"head in a {ours}, time × {peer}", of_heads(peer, ours), dict.fromkeys(INPUTS, limit))
      for ours, peer, limit in (("buffer", "picohttpparser", 0.9), ("slice", "picohttpparser", 1.2),
                                ("buffer", "llhttp", 0.35))],
    Target("chunks, speed × llhttp", lambda report, size: report.parsing["chunks"].get(size, {}).get("llhttp", {}).get(
        "speed", [None])[0], dict.fromkeys(map(str, CHUNKS), 2), is_least=True),
    Target("validated head of 8 fields", lambda report, _: report.parsing["encode"]["ns"], {"written": 120}, unit="ns"),
]


# MARK: - Building

def files_of(folder, suffix):
    return [os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in sorted(names)
            if name.endswith(suffix)]


def run(commands, name, seconds=None):
    """Runs the commands that build a program. Fails with the reason."""
    os.makedirs(BUILT, exist_ok=True)
    try:
        problem = peers.build(commands, os.path.join(BUILT, f"{name}.log"), seconds)
    except subprocess.TimeoutExpired as error:
        problem = f"`{os.path.basename(error.cmd[0])} {error.cmd[1]}` took longer than {seconds} s"
    if problem:
        raise Failure(problem)


def pico_folder():
    """Returns the folder of picohttpparser, which is fetched once. It is complete or not there."""
    folder = os.environ.get("PICO")
    if folder:
        return folder
    folder = os.path.join(BUILT, "picohttpparser")
    if not os.path.exists(folder):
        shutil.rmtree(f"{folder}~", ignore_errors=True)
        run((("git", "clone", "-q", PICO, f"{folder}~"),), "pico-clone", 30)
        run((("git", "-C", f"{folder}~", "checkout", "-q", PICO_COMMIT),), "pico-checkout", 30)
        os.rename(f"{folder}~", folder)
    return folder


def build_driver(driver):
    """Compiles a peer in C and its driver; llhttp is its release, or the copy in swift-nio. Returns the program."""
    peer = "llhttp" if driver == "chunks" else driver
    compiler = "clang" if driver == "chunks" and shutil.which("clang") else "cc"
    folder = os.path.abspath(pico_folder() if peer == "picohttpparser" else os.environ.get("LLHTTP") or LLHTTP)
    name = "picohttpparser.h" if peer == "picohttpparser" else "llhttp.h"
    headers = files_of(folder, name)
    if not headers:
        hint = "" if os.environ.get("LLHTTP") or peer != "llhttp" else ", which the build of AsyncHTTPClient fetches"
        raise Failure(f"there is no {name} in {os.path.relpath(folder, BENCHMARKS)}{hint}")
    sources = [os.path.join(folder, "picohttpparser.c")] if peer == "picohttpparser" else files_of(folder, ".c")
    options = ["-O3", *(["-msse4.2"] if os.uname().machine == "x86_64" else [])]
    defines = ["-DPICO" if peer == "picohttpparser" else "-DLLHTTP"]
    if os.path.basename(headers[0]).startswith("c_nio"):
        defines.append("-DLLHTTP_OF_NIO")
    includes = ["-isystem", os.path.dirname(headers[0])]
    with tempfile.TemporaryDirectory(prefix="http-bench-") as objects:
        # Warnings in the sources of the peer are not ours.
        made = [os.path.join(objects, f"{place}.o") for place in range(len(sources))]
        run([(compiler, "-c", *options, "-w", *includes, "-o", file, source) for file, source in zip(made, sources)]
            + [(compiler, "-o", DRIVERS[driver], *options, "-Wall", "-Wextra", "-Werror", *defines, *includes,
                "peers/driver.c", *made)],
            os.path.basename(DRIVERS[driver]), 60)
    return DRIVERS[driver]


def build_httparse():
    run(peers.RUST, "parse-bench")
    return PARSE_BENCH


def build_wire():
    program = os.environ.get("WIRE_BENCH")
    if not program:
        run(WIRE_BUILD, "wire-bench")
    return program or WIRE_BENCH


# MARK: - Samples

class Program:
    """A program that prints the time of one sample for each byte it receives."""

    def __init__(self, command, processor):
        try:
            self.process = subprocess.Popen(
                ["taskset", "-c", str(processor), *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, env=ENVIRONMENT)
        except OSError as error:
            raise Failure(f"taskset: {error.strerror}") from error

    def sample(self):
        try:
            self.process.stdin.write(b".")
            self.process.stdin.flush()
        except OSError:
            raise self.failure() from None
        if not select.select([self.process.stdout], [], [], LIMIT)[0]:
            raise Failure(f"it took no sample in {LIMIT} s")
        try:
            return float(self.process.stdout.readline())
        except ValueError:
            raise self.failure() from None

    def end(self):
        """Ends the program, which checks its results once more."""
        self.process.stdin.close()
        try:
            is_right = self.process.wait(LIMIT) == 0
        except subprocess.TimeoutExpired:
            is_right = False
        if not is_right:
            raise self.failure()

    def failure(self):
        """Returns the first line of the error that the program wrote before its end."""
        try:
            code = self.process.wait(1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        lines = self.process.stderr.read().decode(errors="replace").strip().splitlines()
        return Failure(lines[0] if lines else f"it ended with {code}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except OSError:
                # What was not sent yet cannot be sent any more.
                pass


def sampled(commands, rounds, processor):
    """Runs the programs in turn. Returns the samples of each in the quarter of the rounds that other load disturbed
    least, and the reason for each that failed."""
    programs, samples, failures = {}, {}, {}

    def attempt(name, action):
        try:
            return action()
        except Failure as failure:
            failures[name] = str(failure)
            samples.pop(name, None)
            if name in programs:
                programs.pop(name).kill()

    try:
        for name, command in commands.items():
            program = attempt(name, lambda: Program(command, processor))
            if program:
                programs[name], samples[name] = program, []
                # Before its first sample, it finds its number of passes, while the others wait.
                attempt(name, program.sample)
        # The first five rounds warm up.
        for _ in range(rounds + 5):
            for name in list(programs):
                taken = attempt(name, programs[name].sample)
                if taken is not None:
                    samples[name].append(taken)
        for name in list(programs):
            attempt(name, programs[name].end)
    finally:
        for program in programs.values():
            program.kill()
    columns = [column[5:] for column in samples.values()]
    least = [min(column) for column in columns]
    order = sorted(range(rounds), key=lambda place: sum(column[place] / few for column, few in zip(columns, least)))
    chosen = order[:max(rounds // 4, 2)]
    return {name: [column[place] for place in chosen] for name, column in zip(samples, columns)}, failures


def ratio(first, second):
    """Returns the median of the ratios and the ends of their middle half."""
    ratios = [a / b for a, b in zip(first, second)]
    low, _, high = statistics.quantiles(ratios, n=4)
    return [round(value, 3) for value in (statistics.median(ratios), low, high)]


def ns(samples):
    return round(statistics.median(samples), 2)


def head_commands(path, wire, drivers):
    """Returns the command of each program that reads the head of the file."""
    with open(path, "rb") as file:
        kind = "response" if b"HTTP/1" in file.read(12) else "request"
    found = {name: [wire, f"{kind}-head{suffix}", path] for name, suffix in OURS.items()}
    found |= {name: [program, kind, path] for name, program in drivers.items()}
    return {name: found[name] for name in ORDER if name in found}


def compare_heads(path, wire, drivers, rounds, processor):
    """Returns the time of each program for the head of the file, with the ratios of ours to each peer, and what
    failed."""
    samples, failures = sampled(head_commands(path, wire, drivers), rounds, processor)
    found = {name: {"ns": ns(taken)} for name, taken in samples.items()}
    for peer in PEERS:
        for name in OURS:
            if peer in samples and name in samples:
                found[peer][name] = ratio(samples[name], samples[peer])
    return found, failures


def compare_chunks(size, wire, drivers, rounds, processor):
    """Returns the time of each program for 1 MiB in chunks of this size, with the speed of ours relative to llhttp."""
    commands = {"wire": [wire, "chunked", str(size)]}
    if "chunks" in drivers:
        commands["llhttp"] = [drivers["chunks"], "chunked", str(size)]
    samples, failures = sampled(commands, rounds, processor)
    found = {name: {"ns": ns(taken)} for name, taken in samples.items()}
    if len(found) == 2:
        found["llhttp"]["speed"] = ratio(samples["llhttp"], samples["wire"])
    return found, failures


def refuse(commands, processor):
    """Returns the programs that do not notice that the head has lost its last byte, each with this as its reason."""
    found = {}
    for name, command in commands.items():
        program = Program(command, processor)
        try:
            program.sample()
            found[name] = "it does not notice that a head is cut"
        except Failure:
            pass
        finally:
            program.kill()
    return found


# MARK: - The stage

def drivers(missing):
    """Builds the drivers of the peers. Returns the programs, and names those that are missing with the reason."""
    found = {}
    for name in [*PEERS, "chunks"]:
        # The driver for chunks is of llhttp: without its sources, one reason is enough.
        if name == "chunks" and "llhttp" in missing:
            continue
        try:
            found[name] = build_httparse() if name == "httparse" else build_driver(name)
        except Failure as failure:
            missing["llhttp, chunks" if name == "chunks" else name] = str(failure)
    return found


def state(sources):
    """Returns a text that changes with the sources, this file and the folders of peers."""
    folders = [os.environ.get(name) for name in ("PICO", "LLHTTP", "WIRE_BENCH")]
    digest = hashlib.sha256(repr((sources, folders)).encode())
    with open(__file__, "rb") as file:
        digest.update(file.read())
    return digest.hexdigest()[:16]


def measure(is_quick, say):
    """Returns the figures of all inputs, and what is missing with the reason. Fails if this package has no figures."""
    rounds, processor = 100 if is_quick else 500, max(os.sched_getaffinity(0))
    found = {"heads": {}, "chunks": {}, "missing": {}}
    wire = build_wire()
    programs = drivers(found["missing"])
    with tempfile.TemporaryDirectory(prefix="http-bench-") as folder:
        cut = os.path.join(folder, "cut.bin")
        with open(os.path.join(HEADS, "small.bin"), "rb") as file, open(cut, "wb") as copy:
            copy.write(file.read()[:-1])
        for name, reason in refuse(head_commands(cut, wire, programs), processor).items():
            if name in OURS:
                raise Failure(f"wire-bench, {name}: {reason}")
            found["missing"][name] = reason
            del programs[name]
    for name, reason in found["missing"].items():
        say(f"{name}: not measured: {reason}")
    kinds = (("heads", INPUTS, compare_heads, lambda name: os.path.join(HEADS, f"{name}.bin")),
             ("chunks", CHUNKS, compare_chunks, lambda size: size))
    for kind, inputs, compare, argument in kinds:
        for one in inputs:
            figures, failures = compare(argument(one), wire, programs, rounds, processor)
            found[kind][str(one)] = figures
            for name, reason in failures.items():
                if name in OURS or name == "wire":
                    raise Failure(f"wire-bench, {kind}, {one}: {reason}")
                found["missing"][f"{name}, {kind}, {one}"] = reason
                say(f"{name}, {kind}, {one}: not measured: {reason}")
    samples, failures = sampled({"wire": [wire, "encode", "fields"]}, rounds, processor)
    if failures:
        raise Failure(f"wire-bench, encode: {failures['wire']}")
    found["encode"] = {"ns": ns(samples["wire"])}
    return found
