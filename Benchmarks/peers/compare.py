#!/usr/bin/env python3
"""Compares decoding heads with picohttpparser, llhttp and httparse.

    Benchmarks/peers/compare.py [FILE …]

Without FILE the heads in Benchmarks/heads are used. It measures as ../measure/parsing.py describes, and with the same
variables PICO, LLHTTP and WIRE_BENCH. `ONLY=parsing make bench` also measures chunks, and writes the results.
"""
import argparse
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from measure import parsing  # noqa: E402
from measure.server import Failure  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--processor", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    missing = {}
    try:
        wire = parsing.build_wire()
    except Failure as failure:
        sys.exit(f"compare: {failure}")
    drivers = parsing.drivers(missing)
    for name, reason in missing.items():
        print(f"{name}: not measured: {reason}")
    for path in options.files or sorted(parsing.files_of(parsing.HEADS, ".bin")):
        found, failures = parsing.compare_heads(path, wire, drivers, options.rounds, options.processor)
        ratios = [f"{ours}/{peer} {found[peer][ours][0]:.2f} ({found[peer][ours][1]:.2f}-{found[peer][ours][2]:.2f})"
                  for peer in parsing.PEERS for ours in parsing.OURS if ours in found.get(peer, {})]
        times = " ".join(f"{name} {one['ns']:.1f}" for name, one in found.items())
        print(f"{re.sub(r'[.].*', '', os.path.basename(path)):8}", *ratios, f"ns: {times}", sep="  ", flush=True)
        for name, reason in failures.items():
            print(f"{name}: not measured: {reason}")


if __name__ == "__main__":
    main()
