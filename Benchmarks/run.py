#!/usr/bin/env python3
"""Measures HTTP clients side by side against one nginx on loopback.

    Benchmarks/run.py floor httpclient --c 1            paired runs A B A B, medians of the ratios
    Benchmarks/run.py floor httpclient-loop --case json --c 64 --tls
    Benchmarks/run.py floor floor-splice httpclient curl --case save      1 GiB into a file
    Benchmarks/run.py floor httpclient curl --case up   1 GiB from a file
    Benchmarks/run.py chunks httpclient --case events   a million records of 100 bytes
    Benchmarks/run.py httpclient --syscalls             system calls per request
    Benchmarks/run.py httpclient --allocs               allocations per request
    Benchmarks/run.py httpclient --instructions         user instructions per request

Absolute figures vary between machines and over time; the ratio of two consecutive runs does not. With
one connection, client and server share one CPU. The result then shows the cost of the software and not
the decisions of the scheduler.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True
from measure import client  # noqa: E402
from measure.peers import PEERS  # noqa: E402
from measure.server import Failure, RECORD_MODES, Server  # noqa: E402

# case: path, default mode, default number of requests
CASES = {
    "text": ("/", "get", 50_000),
    "json": ("/json", "get", 50_000),
    "big": ("/big", "down", 4),
    "save": ("/big", "save", 4),
    "up": ("/up", "up", 4),
    "events": ("/events", "events", 4),
    "lines": ("/lines", "lines", 4),
    "json-lines": ("/json-lines", "json", 4),
}

# The modes with a large body.
BIG_MODES = ("down", "save", "up", *RECORD_MODES)


def paired(args, server, env, cpus):
    rows = {peer: [] for peer in args.peers}
    for number in range(args.rounds):
        for peer in args.peers:
            row = client.measure(
                peer, args.mode, server.url(args.path, args.tls), args.n, args.c, env, cpus, args.seconds)
            rows[peer].append(row)
            print(f"round {number + 1} {peer:14}", *(f"{k}={v:.2f}" for k, v in row.items()), flush=True)
    print()
    for peer in args.peers:
        keys = rows[peer][0].keys()
        print(f"median  {peer:14}",
              *(f"{k}={statistics.median(r[k] for r in rows[peer]):.2f}" for k in keys))
    first = args.peers[0]
    for peer in args.peers[1:]:
        for key, name in (("cpu_us", "CPU per request"), ("rps", "requests per second")):
            ratios = [b[key] / a[key] for a, b in zip(rows[first], rows[peer])]
            print(f"ratio   {peer} / {first}, {name}: {statistics.median(ratios):.3f}"
                  f"  (from {min(ratios):.3f} to {max(ratios):.3f}, {len(ratios)} pairs)")


def counted(args, server, env, cpus):
    """Prints what needs no second client, because it does not depend on other load."""
    url = server.url(args.path, args.tls)
    lengths = (1, max(2, args.n)) if args.mode in BIG_MODES else (args.n // 10 or 1, args.n)
    for peer in args.peers:
        if args.syscalls:
            calls = client.system_calls(peer, args.mode, url, lengths, args.c, env, cpus, server.dir)
            shown = sorted(((v, k) for k, v in calls.items() if v >= 0.005), reverse=True)
            print(f"syscalls {peer:14} {sum(calls.values()):.2f} per request:",
                  " ".join(f"{name}={value:.2f}" for value, name in shown))
        if args.allocs:
            mallocs, frees, size = client.allocations(peer, args.mode, url, lengths, args.c, env, cpus)
            print(f"allocs   {peer:14} {mallocs:.2f} per request, {frees:.2f} freed, {size:.0f} bytes")
        if args.instructions:
            count = client.instructions(peer, args.mode, url, lengths, args.c, env, cpus, server.dir)
            print(f"instructions {peer:14} {count:.0f} per request")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", nargs="+", choices=sorted(PEERS), metavar="PEER",
                        help="the first is what the others are compared with: " + ", ".join(sorted(PEERS)))
    parser.add_argument("--case", choices=sorted(CASES), default="text",
                        help="text: 13 bytes; json: 1 KiB; big: 1 GiB; save: 1 GiB into a file; up: from a file;"
                        " events, lines, json-lines: a million records of 100 bytes")
    parser.add_argument("--mode", choices=["get", "close", "down", "save", "up", *RECORD_MODES], help="default: by the case")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--c", type=int, default=1, help="connections (1)")
    parser.add_argument("--n", type=int, help="requests in a run; default: by the case")
    parser.add_argument("--rounds", type=int, default=5, help="pairs (5)")
    parser.add_argument("--folder", default="/dev/shm" if os.path.isdir("/dev/shm") else None,
                        help="folder of the saved and sent files (/dev/shm: no disk takes part)")
    parser.add_argument("--seconds", type=int, default=3, help="length of a run of wrk (3)")
    parser.add_argument("--server-cpu", type=int, help="CPU of nginx; with --c 1 the last, but for big bodies")
    parser.add_argument("--client-cpu", type=int, help="CPU of the client; the same by default")
    parser.add_argument("--no-pin", action="store_true", help="let the scheduler choose, also with --c 1")
    parser.add_argument("--syscalls", action="store_true", help="count system calls instead")
    parser.add_argument("--allocs", action="store_true", help="count allocations instead")
    parser.add_argument("--instructions", action="store_true", help="count user instructions instead")
    args = parser.parse_args()

    args.path, mode, n = CASES[args.case]
    args.mode = args.mode or mode
    args.n = args.n or (n if args.mode != "close" else 5_000)
    counts = args.syscalls or args.allocs or args.instructions
    if (args.syscalls or args.instructions) and args.mode == "get":
        args.n = min(args.n, 5_000)
    if "curl" in args.peers and args.c != 1:
        sys.exit("run.py: curl has one connection: use --c 1")

    # A big body is limited by copying in the kernel, so server and client run in parallel, as in practice.
    together = args.c == 1 and args.mode not in BIG_MODES and not args.no_pin
    cpu = max(os.sched_getaffinity(0)) if together else None
    server_cpu = cpu if args.server_cpu is None else args.server_cpu
    client_cpu = server_cpu if args.client_cpu is None else args.client_cpu
    cpus = [{c} if c is not None else None for c in (server_cpu, client_cpu)]

    folder = tempfile.mkdtemp(prefix="http-bench-", dir=args.folder)
    server = None
    try:
        server = Server(cpus[0], args.mode)
        upload = os.path.join(folder, "upload")
        env = dict(os.environ, CA=server.ca, SAVE=os.path.join(folder, "saved"), UPLOAD=upload)
        if args.mode == "up":
            with open(upload, "wb") as file:
                for _ in range(1024):
                    file.write(bytes(1 << 20))
        (counted if counts else paired)(args, server, env, cpus[1])
    except Failure as failure:
        sys.exit(f"run.py: {failure}")
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
