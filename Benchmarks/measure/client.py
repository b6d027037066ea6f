"""Runs a client once, and counts what it costs."""
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time

from .peers import COUNTER, PEERS
from .server import Failure, pinned

# What http-bench prints in mode idle.
IDLE = ("idle_kib", "idle_cpu_ms")
PERCENTILES = ("p50", "p90", "p99", "p99.9")
# The words of curl in a mode other than get and down. Without "Expect:" it would wait a second for a 100 response.
CURL_WORDS = {"save": ["-o", "{save}"], "segments": ["-o", "{save}"],
              "up": ["-T", "{upload}", "-H", "Expect:", "-o", os.devnull]}


def command(peer, mode, url, n, c, seconds=0, env=None, length=None, rate=None):
    words = PEERS[peer].words
    if peer == "http-load":
        # While the connections of an open load are opened, requests are due and wait.
        options = (("expect-bytes", length), ("rate", rate), ("warm-up", rate and "1s"))
        words += tuple(f"--{name}={value}" for name, value in options if value)
    if peer == "wrk":
        words += {"close": ("-H", "Connection: close"), "stall": ("--latency",)}.get(mode, ())
    if peer == "curl" and mode in CURL_WORDS:
        words = ["curl", "-skf", *CURL_WORDS[mode], "{url}?[1-{n}]"]
    env = env or {}
    folder, name = os.path.split(env.get("SAVE") or "")
    words = [w.format(mode=mode, url=url, n=n, c=c, seconds=seconds, save=env.get("SAVE"), upload=env.get("UPLOAD"),
                      folder=folder, name=name) for w in words]
    if not shutil.which(words[0]):
        raise Failure(f"there is no {words[0]}: run `make bench PEERS={peer}`")
    return words


def finish(words, limit, **options):
    """Runs a program. Returns what it printed on both channels, its exit code and its use of resources.

    The program and its children are killed after `limit` seconds, and when this process is interrupted.
    """
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, start_new_session=True, **options)
    killer = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
    try:
        killer.start()
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        killer.cancel()
    return output, process.returncode, usage


def run(words, env, cpus=None, limit=600):
    """Runs a client; returns what it printed on both channels and its CPU seconds."""
    # A shell is between, because the greatest memory of a child begins with that of its parent.
    output, code, usage = finish(["sh", "-c", '"$@"; exit $?', "sh", *words], limit, env=env, preexec_fn=pinned(cpus))
    if code != 0:
        last = (output.strip().splitlines() or ["no message"])[-1]
        raise Failure(f"{os.path.basename(words[0])} ended with {code}: {last}")
    return output, usage.ru_utime + usage.ru_stime


def line_of(output, peer):
    """Returns the figures of a driver's line."""
    line = dict(item.split("=", 1) for item in output.split() if "=" in item)
    if line.get("errors") != "0":
        raise Failure(f"{peer} had errors: {output.strip().splitlines()[-1]}")
    return line


def measure(peer, mode, url, n, c, env, cpus=None, seconds=3, length=None, rate=None):
    """Makes one run. Returns the CPU microseconds per request, the requests per second, latencies and memory.

    `length` is the length of a response; a driver that received another number of bytes has not done the work. `rate` is
    that of an open load, in requests per second.
    """
    words = command(peer, mode, url, n, c, seconds, env, length, rate)
    start = time.monotonic()
    output, cpu = run(words, env, cpus)
    wall = time.monotonic() - start
    if peer == "wrk":
        found = re.search(r"(\d+) requests in", output)
        if not found or re.search(r"Non-2xx|Socket errors", output):
            raise Failure(f"wrk had errors: {(output.strip().splitlines() or ['no message'])[-1]}")
        done = int(found[1])
        if done == 0:
            raise Failure(f"wrk received no response in {seconds} s")
        # wrk counts from the sending, and adds what requests would have taken that it has not sent. It knows no p99.9.
        latencies = {f"p{share}_us": float(value) * {"us": 1, "ms": 1e3, "s": 1e6}[unit] for share, value, unit in
                     re.findall(r"^\s*(50|90|99)%\s+([\d.]+)(us|ms|s)$", output, re.MULTILINE)}
        return {"cpu_us": cpu * 1e6 / done, "rps": done / seconds, **latencies}
    if peer == "http-load":
        # A response that is not right makes it fail.
        text = re.search(r'^{"version".*}', output, re.MULTILINE)
        if not text:
            raise Failure("http-load printed no JSON")
        found = json.loads(text[0])
        if not found["responses"]:
            raise Failure(f"http-load received no response in {seconds} s")
        return {"cpu_us": cpu * 1e6 / found["responses"], "rps": found["responseRate"],
                **{f"{name.replace('.', '_')}_us": found["percentiles"][name] / 1000 for name in PERCENTILES}}
    if not PEERS[peer].prints_line:
        return {"cpu_us": cpu * 1e6 / n, "rps": n / wall}
    line = line_of(output, peer)
    if length is not None and PEERS[peer].parses and int(line["bytes"]) != n * length:
        raise Failure(f"{peer} received {line['bytes']} bytes and not {n} times {length}")
    return {
        "cpu_us": float(line["user_us_per_req"]) + float(line["sys_us_per_req"]),
        "rps": int(line["n"]) / max(float(line["wall_s"]), 1e-9), "p50_us": float(line["p50_us"]),
        "p99_us": float(line["p99_us"]), "rss_mib": float(line["maxrss_kib"]) / 1024,
        **{key: float(value) for key, value in line.items() if key in IDLE},
    }


def start(peer, url, env, length=None):
    """Runs a client for one request. Returns the CPU time and the duration of the whole process, and its greatest memory."""
    begin = time.monotonic()
    output, cpu = run(command(peer, "get", url, 1, 1, 0, env), env)
    figures = {"cpu_us": cpu * 1e6, "wall_ms": (time.monotonic() - begin) * 1000}
    if not PEERS[peer].prints_line:
        return figures
    line = line_of(output, peer)
    if length is not None and PEERS[peer].parses and int(line["bytes"]) != length:
        raise Failure(f"{peer} received {line['bytes']} bytes and not {length}")
    return figures | {"rss_mib": float(line["maxrss_kib"]) / 1024}


def difference(counts, lengths):
    """Returns what one request costs, from the counts of a short and a long run: the start does not count."""
    return (counts[1] - counts[0]) / (lengths[1] - lengths[0])


def system_calls(peer, mode, url, lengths, c, env, cpus, folder):
    """Returns the system calls per request by name."""
    if not shutil.which("strace"):
        raise Failure("strace is not installed: run `make setup`")
    tables = []
    for n in lengths:
        table = os.path.join(folder, "strace")
        run(["strace", "-c", "-f", "-o", table, *command(peer, mode, url, n, c, 0, env)], env, cpus)
        with open(table) as file:
            cells = [line.split() for line in file]
        tables.append({row[-1]: int(row[3]) for row in cells
                       if len(row) >= 5 and row[0][0].isdigit() and row[-1] != "total"})
    return {name: difference([table.get(name, 0) for table in tables], lengths) for name in tables[1]}


def allocations(peer, mode, url, lengths, c, env, cpus):
    """Returns the calls of malloc and free per request, and the bytes."""
    if not os.path.exists(COUNTER):
        raise Failure("there is no countmalloc.so: run `make bench PEERS=floor`")
    counts = []
    for n in lengths:
        # Go has a separate allocator, which its driver asks.
        counting = dict(env, LD_PRELOAD=COUNTER, COUNT_ALLOCATIONS="1")
        output, _ = run(command(peer, mode, url, n, c, 0, env), counting, cpus)
        found = re.search(r"mallocs=(\d+) frees=(\d+) bytes=(\d+)", output)
        if not found:
            raise Failure(f"{peer} did not report its allocations; is it linked statically?")
        counts.append([int(group) for group in found.groups()])
    return [difference(pair, lengths) for pair in zip(*counts)]


def instructions(peer, mode, url, lengths, c, env, cpus, folder):
    """Returns the user instructions per request."""
    if not shutil.which("valgrind"):
        raise Failure("valgrind is not installed: run `make setup`")
    counts = []
    program = os.path.join(folder, "program")
    for n in lengths:
        words = command(peer, mode, url, n, c, 0, env)
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind"]
        try:
            output, _ = run([*tool, *words], env, cpus)
        except Failure:
            # valgrind gives up on debugging information that it does not know.
            if subprocess.run(["strip", "-g", "-o", program, shutil.which(words[0])], stderr=subprocess.DEVNULL).returncode:
                raise
            output, _ = run([*tool, program, *words[1:]], env, cpus)
        found = re.search(r"Collected\s*:\s*(\d+)", output)
        if not found:
            raise Failure(f"callgrind counted nothing for {peer}")
        counts.append(int(found[1]))
    return difference(counts, lengths)
