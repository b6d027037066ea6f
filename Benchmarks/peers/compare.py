#!/usr/bin/env python3
"""Compares decoding heads with picohttpparser and llhttp, which you fetch (see ../README.md).

    Benchmarks/peers/compare.py --pico FOLDER --llhttp FOLDER [FILE …]

FOLDER holds the peer's sources; the driver is built into a temporary folder. Without FILE the heads
in Benchmarks/heads are used. All programs run at once, on one processor, and take turns: each takes
one sample of 2 ms, then the next one does. Each ratio is of two consecutive samples; the figure is the
median of the ratios, and the spread that of the middle half. Only the quarter of the rounds with the
least total time counts, because a busy sibling of the processor slows the fastest programs most.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEADS = os.path.join(HERE, "..", "heads")
WIRE_BENCH = os.path.join(HERE, "..", ".build", "release", "wire-bench")


def files_of(folder, suffix):
    return [
        os.path.join(parent, name)
        for parent, _, names in os.walk(folder)
        for name in sorted(names)
        if name.endswith(suffix)
    ]


def build(pico, llhttp, into):
    """Compiles the driver and both peers; llhttp is its release, or the copy in swift-nio."""
    headers = files_of(llhttp, "llhttp.h")
    if not headers:
        sys.exit(f"compare: there is no llhttp.h in {llhttp}")
    driver = os.path.join(into, "driver")
    sources = [os.path.join(HERE, "driver.c"), os.path.join(pico, "picohttpparser.c")]
    command = ["cc", "-O3", "-msse4.2", "-w", "-o", driver, *sources, *files_of(llhttp, ".c")]
    if os.uname().machine != "x86_64":
        command.remove("-msse4.2")
    if os.path.basename(headers[0]).startswith("c_nio"):
        command.append("-DLLHTTP_OF_NIO")
    subprocess.run([*command, "-I", pico, "-I", os.path.dirname(headers[0])], check=True)
    return driver


class Program:
    """A program that prints the time of one sample for each byte it receives."""

    def __init__(self, command, processor):
        environment = dict(os.environ, PACED="1")
        self.process = subprocess.Popen(
            ["taskset", "-c", str(processor), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )

    def sample(self):
        self.process.stdin.write(b".")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"compare: {self.process.args} ended")
        return float(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def line(name, ratios):
    low, _, high = statistics.quantiles(ratios, n=4)
    return f"{name} {statistics.median(ratios):.2f} ({low:.2f}-{high:.2f})"


def compare(path, driver, wire_bench, options):
    with open(path, "rb") as file:
        kind = "response" if b"HTTP/1" in file.read(12) else "request"
    programs = [
        Program([wire_bench, f"{kind}-head", path], options.processor),
        Program([driver, "pico", kind, path], options.processor),
        Program([wire_bench, f"{kind}-head-slice", path], options.processor),
        Program([driver, "llhttp", kind, path], options.processor),
    ]
    rounds = [[program.sample() for program in programs] for _ in range(options.rounds + 5)][5:]
    for program in programs:
        program.end()
    least = [min(column) for column in zip(*rounds)]
    rounds.sort(key=lambda samples: sum(taken / few for taken, few in zip(samples, least)))
    rounds = rounds[: max(len(rounds) // 4, 2)]
    name = re.sub(r"\..*", "", os.path.basename(path))
    print(
        f"{name:8}",
        line("buffer/pico", [held / pico for held, pico, _, _ in rounds]),
        line("slice/pico", [slice / pico for _, pico, slice, _ in rounds]),
        line("buffer/llhttp", [held / llhttp for held, _, _, llhttp in rounds]),
        "least ns: buffer %.1f pico %.1f slice %.1f llhttp %.1f" % tuple(least),
        sep="  ",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pico", required=True, help="folder of picohttpparser")
    parser.add_argument("--llhttp", required=True, help="folder of llhttp's C sources")
    parser.add_argument("--wire-bench", default=WIRE_BENCH, help="wire-bench; that of the release build")
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--processor", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    files = options.files or sorted(files_of(HEADS, ".bin"))
    with tempfile.TemporaryDirectory() as folder:
        driver = build(options.pico, options.llhttp, folder)
        for path in files:
            compare(path, driver, options.wire_bench, options)


if __name__ == "__main__":
    main()
