#!/usr/bin/env python3
"""Measures HTTP clients side by side against one nginx on loopback.

    Benchmarks/run.py floor httpclient --c 1            paired runs A B A B, medians of the ratios
    Benchmarks/run.py floor httpclient-loop --case json --c 64 --tls
    Benchmarks/run.py floor floor-splice httpclient curl --case save      1 GiB into a file
    Benchmarks/run.py floor httpclient curl --case up   1 GiB from a file
    Benchmarks/run.py chunks httpclient --case events   a million records of 100 bytes
    Benchmarks/run.py httpclient --syscalls             system calls per request
    Benchmarks/run.py httpclient --allocs               allocations per request

Absolute figures vary between machines and over time; the ratio of two consecutive runs does not. With
one connection, client and server share one CPU. The result then shows the cost of the software and not
the decisions of the scheduler.
"""

import argparse
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FLOOR = os.path.join(HERE, "floor", "floor")
COUNTER = os.path.join(HERE, "floor", "countmalloc.so")
LIBCURL = os.path.join(HERE, "peers", "libcurl")
AHC = os.path.join(HERE, "peers", "AsyncHTTPClient", ".build", "release", "ahc")
HTTP_BENCH = os.path.join(os.path.dirname(HERE), ".build", "release", "http-bench")

PEERS = {
    "floor": [FLOOR, "{mode}", "{url}", "{n}", "{c}"],
    # The mode save with splice(2) instead of read(2) and write(2).
    "floor-splice": [FLOOR, "splice", "{url}", "{n}", "{c}"],
    "httpclient": [HTTP_BENCH, "{mode}", "{url}", "{n}", "{c}"],
    "httpclient-loop": [HTTP_BENCH, "{mode}", "{url}", "{n}", "{c}", "--on-loop"],
    "httpclient-blocking": [HTTP_BENCH, "{mode}", "{url}", "{n}", "{c}", "--blocking"],
    # The bytes of a body as chunks: the base of the cases with records.
    "chunks": [HTTP_BENCH, "down", "{url}", "{n}", "{c}"],
    "chunks-loop": [HTTP_BENCH, "down", "{url}", "{n}", "{c}", "--on-loop"],
    "chunks-blocking": [HTTP_BENCH, "down", "{url}", "{n}", "{c}", "--blocking"],
    "chunks-floor": [FLOOR, "down", "{url}", "{n}", "{c}"],
    "libcurl": [LIBCURL, "{mode}", "{url}", "{n}", "{c}"],
    "ahc": [AHC, "{mode}", "{url}", "{n}", "{c}"],
    # These two do not print the line of figures: their CPU time is that of the whole process.
    "wrk": ["wrk", "-t1", "-c{c}", "-d{seconds}s", "{url}"],
    "curl": ["curl", "-sk", "-o", os.devnull, "{url}?[1-{n}]"],
}

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

# The number of records in the body of a case with records. A record has 100 bytes.
RECORDS = 1_000_000
RECORD_MODES = {
    "events": "data: %092d\n\n",
    "lines": "%099d\n",
    "json": '{"id":1%08d,"name":"item","price":12.50,"tags":["one","two"],"note":"twenty-five bytes long.."}\n',
}

# The modes with a large body.
BIG_MODES = ("down", "save", "up", *RECORD_MODES)
# The words of curl in a mode other than down.
CURL_WORDS = {"save": ["-o", "{save}"], "up": ["-T", "{upload}", "-o", os.devnull]}

NGINX = """
daemon off; master_process off; pid {dir}/pid; error_log {dir}/error.log warn;
events {{ worker_connections 20000; }}
http {{
    access_log off; keepalive_requests 100000000; keepalive_timeout 600; sendfile on;
    client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f;
    uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        listen 127.0.0.1:{tls_port} ssl backlog=4096;
        ssl_certificate {dir}/cert.pem; ssl_certificate_key {dir}/key.pem;
        ssl_protocols TLSv1.3; ssl_session_tickets on;
        location = / {{ default_type text/plain; return 200 "hello, world\\n"; }}
        location = /json {{ default_type application/json; return 200 '{json}'; }}
        location = /big {{ alias {dir}/big; }}
        location = /events {{ default_type text/event-stream; alias {dir}/events; }}
        location = /lines {{ default_type text/plain; alias {dir}/lines; }}
        location = /json-lines {{ default_type application/x-ndjson; alias {dir}/json; }}
    }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """An nginx with a separate folder and free ports, on the given CPUs."""

    def __init__(self, cpus, mode):
        program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
        if not program:
            sys.exit("run.py: nginx is not installed: run `make setup`")
        self.dir = tempfile.mkdtemp(prefix="http-bench-")
        self.port, self.tls_port, self.sink_port = free_port(), free_port(), free_port()
        self.ca = os.path.join(self.dir, "cert.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
             "-keyout", os.path.join(self.dir, "key.pem"), "-out", self.ca],
            check=True, stderr=subprocess.DEVNULL)
        with open(os.path.join(self.dir, "big"), "wb") as big:
            big.truncate(1 << 30)
        if mode in RECORD_MODES:
            with open(os.path.join(self.dir, mode), "w") as file:
                file.writelines(RECORD_MODES[mode] % number for number in range(RECORDS))
        row = '{"id":%04d,"name":"item","price":12.50,"tags":["a","b"],"ok":true},'
        json = '{"items":[' + "".join(row % i for i in range(14))[:-1] + "]}"
        json += " " * (1024 - len(json))
        config = os.path.join(self.dir, "nginx.conf")
        with open(config, "w") as file:
            file.write(NGINX.format(dir=self.dir, port=self.port, tls_port=self.tls_port, json=json))
        # nginx reads the bodies of requests in small pieces, or into files.
        self.sink = subprocess.Popen(
            [FLOOR, "sink", str(self.sink_port)], preexec_fn=pinned(cpus)
        ) if os.path.exists(FLOOR) else None
        self.process = subprocess.Popen(
            [program, "-p", self.dir, "-c", config, "-e", os.path.join(self.dir, "error.log")],
            preexec_fn=pinned(cpus))
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        log = open(os.path.join(self.dir, "error.log")).read()
        self.stop()
        sys.exit(f"run.py: nginx did not start: {log}")

    def url(self, path, tls):
        if path == "/up":
            return f"http://127.0.0.1:{self.sink_port}{path}"
        return f"https://127.0.0.1:{self.tls_port}{path}" if tls else f"http://127.0.0.1:{self.port}{path}"

    def stop(self):
        for process in (self.process, self.sink):
            if process:
                process.terminate()
                process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


def pinned(cpus):
    return (lambda: os.sched_setaffinity(0, cpus)) if cpus else None


def command(peer, mode, url, n, c, seconds, env):
    words = PEERS[peer]
    if peer == "curl" and mode in CURL_WORDS:
        words = ["curl", "-skf", *CURL_WORDS[mode], "{url}?[1-{n}]"]
    words = [w.format(mode=mode, url=url, n=n, c=c, seconds=seconds, save=env["SAVE"],
                      upload=env["UPLOAD"]) for w in words]
    if not shutil.which(words[0]):
        sys.exit(f"run.py: there is no {words[0]}: `make bench` builds ours and the floor,"
                 " peers/libcurl.c says how it is built")
    return words


def run(words, env, cpus):
    """Runs a client; returns what it printed on both channels and its CPU seconds."""
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env,
        preexec_fn=pinned(cpus))
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"run.py: {' '.join(words)} ended with {process.returncode}:\n{output}")
    return output, usage.ru_utime + usage.ru_stime


def measure(peer, args, server, env, cpus):
    """One run: CPU microseconds per request, requests per second, and the rest of the line."""
    words = command(peer, args.mode, server.url(args.path, args.tls), args.n, args.c, args.seconds, env)
    start = time.monotonic()
    output, cpu = run(words, env, cpus)
    wall = time.monotonic() - start
    if peer == "wrk":
        n = int(re.search(r"(\d+) requests in", output).group(1))
        return {"cpu_us": cpu * 1e6 / n, "rps": n / args.seconds}
    if peer == "curl":
        return {"cpu_us": cpu * 1e6 / args.n, "rps": args.n / wall}
    line = dict(item.split("=", 1) for item in output.split() if "=" in item)
    if line.get("errors") != "0":
        sys.exit(f"run.py: {peer} had errors: {output}")
    return {
        "cpu_us": float(line["user_us_per_req"]) + float(line["sys_us_per_req"]),
        "rps": int(line["n"]) / max(float(line["wall_s"]), 1e-9), "p50_us": float(line["p50_us"]), "p99_us": float(line["p99_us"]),
        "rss_mib": float(line["maxrss_kib"]) / 1024,
    }


def paired(args, server, env, cpus):
    rows = {peer: [] for peer in args.peers}
    for number in range(args.rounds):
        for peer in args.peers:
            row = measure(peer, args, server, env, cpus)
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


def two_lengths(args):
    return (1, max(2, args.n)) if args.mode in BIG_MODES else (args.n // 10 or 1, args.n)


def syscalls(args, server, env, cpus):
    """System calls per request: strace counts of a long run minus those of a short one."""
    if not shutil.which("strace"):
        sys.exit("run.py: strace is not installed")
    short, long = two_lengths(args)
    for peer in args.peers:
        counts = []
        for n in (short, long):
            words = command(peer, args.mode, server.url(args.path, args.tls), n, args.c, args.seconds, env)
            table = os.path.join(server.dir, "strace")
            run(["strace", "-c", "-f", "-o", table] + words, env, cpus)
            calls = {}
            for line in open(table):
                cells = line.split()
                if len(cells) >= 5 and cells[0][0].isdigit() and cells[-1] != "total":
                    calls[cells[-1]] = int(cells[3])
            counts.append(calls)
        per = {name: (count - counts[0].get(name, 0)) / (long - short)
               for name, count in counts[1].items()}
        shown = sorted(((v, k) for k, v in per.items() if v >= 0.005), reverse=True)
        print(f"syscalls {peer:14} {sum(per.values()):.2f} per request:",
              " ".join(f"{name}={value:.2f}" for value, name in shown))


def allocations(args, server, env, cpus):
    """Allocations per request: malloc counts of a long run minus those of a short one."""
    if not os.path.exists(COUNTER):
        sys.exit("run.py: there is no countmalloc.so: run `make bench`")
    short, long = two_lengths(args)
    for peer in args.peers:
        counts = []
        for n in (short, long):
            words = command(peer, args.mode, server.url(args.path, args.tls), n, args.c, args.seconds, env)
            output, _ = run(words, dict(env, LD_PRELOAD=COUNTER), cpus)
            found = re.search(r"mallocs=(\d+) frees=(\d+) bytes=(\d+)", output)
            if not found:
                sys.exit(f"run.py: {peer} did not report; is it linked statically?\n{output}")
            counts.append([int(g) for g in found.groups()])
        mallocs, frees, bytes = ((b - a) / (long - short) for a, b in zip(*counts))
        print(f"allocs   {peer:14} {mallocs:.2f} per request, {frees:.2f} freed, {bytes:.0f} bytes")


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
    args = parser.parse_args()

    args.path, mode, n = CASES[args.case]
    args.mode = args.mode or mode
    args.n = args.n or (n if args.mode != "close" else 5_000)
    if args.n and args.syscalls and args.mode == "get":
        args.n = min(args.n, 5_000)
    if "curl" in args.peers and args.c != 1:
        sys.exit("run.py: curl has one connection: use --c 1")

    # A big body is limited by copying in the kernel, so server and client run in parallel, as in practice.
    together = args.c == 1 and args.mode not in BIG_MODES and not args.no_pin
    cpu = max(os.sched_getaffinity(0)) if together else None
    server_cpu = cpu if args.server_cpu is None else args.server_cpu
    client_cpu = server_cpu if args.client_cpu is None else args.client_cpu
    cpus = [{c} if c is not None else None for c in (server_cpu, client_cpu)]

    server = Server(cpus[0], args.mode)
    folder = tempfile.mkdtemp(prefix="http-bench-", dir=args.folder)
    try:
        upload = os.path.join(folder, "upload")
        env = dict(os.environ, CA=server.ca, SAVE=os.path.join(folder, "saved"), UPLOAD=upload)
        if args.mode == "up":
            with open(upload, "wb") as file:
                for _ in range(1024):
                    file.write(bytes(1 << 20))
        if args.syscalls:
            syscalls(args, server, env, cpus[1])
        if args.allocs:
            allocations(args, server, env, cpus[1])
        if not args.syscalls and not args.allocs:
            paired(args, server, env, cpus[1])
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
