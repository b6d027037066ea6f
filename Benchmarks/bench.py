#!/usr/bin/env python3
"""Measures this client beside others, and writes the tables and plots. `make bench` runs it.

    Benchmarks/bench.py            all rows; takes two to three hours
    QUICK=1 Benchmarks/bench.py    short runs, for a first picture
    ONLY=tls,down …                only the rows whose names contain one of these; `parsing`: the parsers (a minute)
    PEERS=floor,libcurl …          only these clients
    ROUNDS=3 SECONDS=1 …           other numbers of rounds, and seconds of one run
    Benchmarks/bench.py --report   writes tables and plots from the figures that there are
    Benchmarks/bench.py --list     prints the rows and the clients

It builds the clients, starts a separate server on loopback, and runs the clients in turn (A B C A B C …), so that
neighboring runs can be compared. It first shows that each driver sends the right requests and notices wrong responses.
A client that cannot be built or fails is named below the tables, and the others are measured. After the rows it
compares the parser with others (`measure/parsing.py`). At the end it loads this client with a server that misbehaves
(`scripts/soak`), and says whether each response and error was right.

`results/figures.json` has the figure of every run. A row that was measured at the same state of the sources is not
measured again, so a run that was interrupted goes on where it stopped; FRESH=1 measures all. `results/*.svg` are the
plots, and the section *Clients* of RESULTS.md has the tables. With QUICK or PEERS, all of them are in
`.build-peers/results` instead. If a server ends or a disk is full, the row is left out, and the others are measured.
"""
import datetime
import hashlib
import json
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from measure import client, faults, parsing, proof, report, sizes  # noqa: E402
from measure.peers import BENCHMARKS, BUILT, PEERS, ROOT, missing  # noqa: E402
from measure.server import ORIGINS, Failure, Server  # noqa: E402
from measure.suite import CLIENTS, OURS, ROWS, STALL_BEGIN, STALL_END, STALL_RATE, STALL_SECONDS, UPLOAD  # noqa: E402

QUICK = os.environ.get("QUICK") == "1"
# Short runs, and those of some clients, say less than the results that are kept: they do not replace them.
IS_PART = QUICK or bool(os.environ.get("PEERS"))
RESULTS = os.path.join(BUILT, "results") if IS_PART else os.path.join(BENCHMARKS, "results")
FIGURES = os.path.join(RESULTS, "figures.json")
# The number of rounds, and the seconds of one run.
ROUNDS = int(os.environ.get("ROUNDS") or (2 if QUICK else 7))
SECONDS = float(os.environ.get("SECONDS") or (0.5 if QUICK else 2))
# The seconds of load with faults.
FAULTS = 10 if QUICK else 30


def say(text):
    print(text, flush=True)


def chosen(variable, names, contains):
    words = [word for word in re.split(r"[,\s]+", os.environ.get(variable, "")) if word]
    found = [name for name in names if not words or any(word in name if contains else word == name for word in words)]
    unknown = [word for word in words if not any(word in name if contains else word == name for name in names)]
    if unknown:
        sys.exit(f"bench.py: {variable} names {', '.join(unknown)}; there are: {', '.join(names)}")
    return found


def output(*words):
    return subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def state():
    """Returns a text that changes with the sources and the kind of run."""
    digest = hashlib.sha256(repr((ROUNDS, SECONDS)).encode())
    for name in sorted(output("git", "ls-files", "-co", "--exclude-standard", "Sources", "Benchmarks").splitlines()):
        # What only draws or prints changes no figure.
        counts = name.endswith((".swift", ".c", ".h", ".go", ".rs", ".toml")) or name.endswith(
            ("client.py", "suite.py", "server.py", "peers.py"))
        if counts and os.path.exists(os.path.join(ROOT, name)):
            with open(os.path.join(ROOT, name), "rb") as file:
                digest.update(name.encode() + file.read())
    return digest.hexdigest()[:16]


def commit():
    """Returns the commit, with a + if files have changed since."""
    # What this program writes changes with the first row.
    written = [f":!{name}" for name in ("README.md", "Benchmarks/RESULTS.md", "Benchmarks/results")]
    changed = "+" if output("git", "status", "--porcelain", "--", ".", *written) else ""
    return output("git", "rev-parse", "--short=7", "HEAD").strip() + changed


def origin():
    """Returns what the figures depend on."""
    model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo", encoding="utf-8").read())
    compiler = re.search(r"Swift version \S+", output("swift", "--version"))[0]
    return (f"Measured at `{commit()}` on "
            f"{datetime.date.today()}, {ROUNDS} rounds of {SECONDS:g} s: {compiler}, {len(os.sched_getaffinity(0))} x "
            f"{platform.machine()}, {model[1] if model else 'unknown'}, Linux {platform.release().split('-')[0]}.")


class Bench:
    def __init__(self):
        self.results = {"rows": {}, "missing": {}, "problems": {}, "sizes": {}}
        if os.path.exists(FIGURES):
            with open(FIGURES, encoding="utf-8") as file:
                self.results |= json.load(file)
        self.state = state()
        # The number of rows that this run has measured.
        self.measured = 0
        # Whether this run has found no fault under load with faults.
        self.is_right = True

    def save(self):
        os.makedirs(RESULTS, exist_ok=True)
        # A run that is killed, or a full disk, leaves the old file.
        with open(FIGURES + "~", "w", encoding="utf-8") as file:
            json.dump(self.results, file, indent=1, sort_keys=True)
            file.write("\n")
        os.replace(FIGURES + "~", FIGURES)

    # MARK: - Clients

    def build(self, names):
        """Builds the clients and tries each. Returns those that can be measured."""
        usable, built = [], {}
        os.makedirs(BUILT, exist_ok=True)
        for name in names:
            commands = PEERS[name].build
            start = time.monotonic()
            # Several clients have one program.
            if commands not in built:
                built[commands] = sizes.build(name, os.path.join(BUILT, f"{name}.log"))
            problem = built[commands] or missing(name) or proof.faults(name)
            self.results["missing"].pop(name, None)
            if problem:
                self.results["missing"][name] = problem
                say(f"{name}: not measured: {problem}")
            else:
                usable.append(name)
                self.results["sizes"][name] = sizes.sizes(name)
                say(f"{name}: ready ({time.monotonic() - start:.0f} s)")
        return usable

    # MARK: - Rows

    def attempt(self, name, work):
        """Measures a row or the parsers. If that fails, the others are measured all the same."""
        try:
            work()
        except Exception as error:
            problem = str(error) if isinstance(error, (Failure, OSError)) else f"{type(error).__name__}: {error}"
            self.results["problems"][name] = problem
            say(f"{name}: not measured: {problem}")

    def measure(self, row, names):
        """Measures a row, with as many clients as can do it."""
        names = [name for name in row.clients() if name in names]
        done = self.results["rows"].get(row.name)
        if not names or done and done["state"] == self.state and os.environ.get("FRESH") != "1" and (
                set(names) <= set(done["clients"])):
            return
        self.results["problems"].pop(row.name, None)
        start = time.monotonic()
        cpus = {max(os.sched_getaffinity(0))} if row.shares_cpu else None
        folder = tempfile.mkdtemp(prefix="http-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        server = None
        try:
            server = Server(cpus, row.mode)
            env = dict(os.environ, CA=server.ca, SAVE=f"{folder}/saved", UPLOAD=f"{folder}/upload", **dict(row.env))
            if row.mode == "up":
                with open(env["UPLOAD"], "wb") as file:
                    for _ in range(UPLOAD >> 20):
                        file.write(bytes(1 << 20))
            url = server.url(row.path, row.tls)
            kind = {"times": self.timed, "start": self.started, "stall": self.stalled}.get(row.count, self.counted)
            found = kind(row, names, url, env, cpus, server, folder)
        finally:
            if server:
                server.stop()
            shutil.rmtree(folder, ignore_errors=True)
        clients, failures = found
        self.results["rows"][row.name] = {"state": self.state, "origin": origin(), "clients": clients, "failures": failures}
        self.measured += 1
        self.save()
        say(f"{row.name}: {len(clients)} clients in {time.monotonic() - start:.0f} s")
        for name, problem in failures.items():
            say(f"{row.name}, {name}: not measured: {problem}")

    def in_turn(self, rounds, names, server, one):
        """Runs the clients in turn. Returns the figures of each run, and why clients failed: these have no figures."""
        runs, failures = {}, {}
        for _ in range(rounds):
            for name in names:
                if name in failures:
                    continue
                try:
                    figures = one(name)
                    server.check()
                    runs.setdefault(name, []).append({key: round(value, 3) for key, value in figures.items()})
                except Failure as failure:
                    server.check()
                    failures[name] = str(failure)
                    runs.pop(name, None)
        return runs, failures

    def timed(self, row, names, url, env, cpus, server, folder):
        """Runs the clients in turn, each for about the same time."""
        counts, rates = {}, {}

        def one(name):
            return client.measure(name, row.mode, url, counts[name], row.c, env, cpus, max(1, round(SECONDS)), row.length,
                                  rates.get(name))

        for name in names:
            if row.is_big:
                counts[name] = 1
            elif row.mode == "idle":
                counts[name] = row.c
            elif row.length >= 1 << 20:
                counts[name] = 50
            else:
                counts[name] = max(200, 4 * row.c) if row.mode == "get" else 100
        if row.is_big or row.mode == "idle":
            return self.in_turn(ROUNDS, names, server, one)
        # The first run of each shows how many requests it sends in the time of a run.
        first, failures = self.in_turn(1, names, server, one)
        for name, [figures] in first.items():
            # An open load has a part of the rate that the closed one has reached.
            if row.load:
                rates[name] = max(1, int(figures["rps"] * row.load))
            if row.mode == "origins":
                # Each origin has several requests.
                counts[name] = 4 * ORIGINS
            else:
                counts[name] = max(counts[name], min(1_000_000, int(figures["rps"] * SECONDS)))
        runs, later = self.in_turn(ROUNDS, list(first), server, one)
        return runs, failures | later

    def started(self, row, names, url, env, cpus, server, folder):
        """Starts each client in turn, for one request."""
        return self.in_turn(ROUNDS, names, server, lambda name: client.start(name, url, env, row.length))

    def stalled(self, row, names, url, env, cpus, server, folder):
        """Stops the server for a second in each run: http-load has an open load, wrk a closed one."""
        def one(name):
            timers = [threading.Timer(STALL_BEGIN, server.stop_answering), threading.Timer(STALL_END, server.go_on)]
            for timer in timers:
                timer.start()
            try:
                return client.measure(name, row.mode, url, 0, row.c, env, cpus, STALL_SECONDS, row.length,
                                      STALL_RATE if name == "http-load" else None)
            finally:
                for timer in timers:
                    timer.cancel()
                server.go_on()

        return self.in_turn(min(ROUNDS, 3), names, server, one)

    def counted(self, row, names, url, env, cpus, server, folder):
        """Counts what does not depend on other load, once for each client."""
        values, failures = {}, {}
        lengths = (200, 2200)
        for name in names:
            try:
                if row.count == "instructions":
                    value = client.instructions(name, row.mode, url, lengths, row.c, env, cpus, folder)
                elif row.count == "allocations":
                    value = client.allocations(name, row.mode, url, lengths, row.c, env, cpus)[0]
                else:
                    value = sum(client.system_calls(name, row.mode, url, lengths, row.c, env, cpus, folder).values())
                values[name] = round(value, 3)
            except Failure as failure:
                server.check()
                failures[name] = str(failure)
        return values, failures

    def parse(self, names):
        """Measures the parser of this client beside others."""
        state = parsing.state(self.state)
        done = self.results.get("parsing")
        if not set(names) & set(OURS) or done and done["state"] == state and not done["missing"] and (
                os.environ.get("FRESH") != "1"):
            return
        self.results["problems"].pop("parsing", None)
        start = time.monotonic()
        found = parsing.measure(QUICK, say)
        self.results["parsing"] = found | {"state": state, "commit": commit(), "date": str(datetime.date.today())}
        self.save()
        say(f"parsing: heads and chunks in {time.monotonic() - start:.0f} s")

    def load_with_faults(self, names):
        """Loads this client with faults. A fault of it is named, and the tables are written all the same."""
        if not set(names) & set(OURS):
            return
        say(f"faults: loading this client for {FAULTS} s with a server that misbehaves")
        self.is_right, text = faults.run(faults.command(FAULTS))
        self.results["faults"] = {"is_right": self.is_right, "text": text, "commit": commit()}
        say(f"faults: {'passed' if self.is_right else 'FAILED'}: {text}")

    # MARK: - Results

    def finish(self, seconds):
        """Records the duration of a run that has measured something."""
        if self.measured:
            self.results["run"] = {"seconds": round(seconds), "rows": self.measured, "all": len(ROWS)}

    def write(self):
        if not self.results["rows"] and "parsing" not in self.results:
            sys.exit("bench.py: there is no figure: run `make bench`")
        lines = output("scripts/results", "read", "Sizes").splitlines()
        recorded = {name: float(value) for name, value in (line.split("\t") for line in lines)}
        made = report.Report(self.results | {"recorded": recorded})
        report.write_plots(made, RESULTS)
        text = "\n".join([made.origins(), *made.stages()]) + "\n\n" + made.text() + "\n"
        if IS_PART:
            with open(os.path.join(RESULTS, "RESULTS.md"), "w", encoding="utf-8") as file:
                file.write(text)
            return say(f"wrote {os.path.relpath(RESULTS, ROOT)}, and left the recorded results alone")
        done = subprocess.run([os.path.join(ROOT, "scripts/results"), "section", "Clients"], input=text, text=True,
                              stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise Failure(f"RESULTS.md is not written: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
        say("wrote Benchmarks/RESULTS.md and Benchmarks/results")
        done = subprocess.run([os.path.join(ROOT, "scripts/record"), "quotes"], text=True, stderr=subprocess.PIPE)
        if done.returncode != 0:
            say(f"README.md keeps its figures: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")


def main():
    if sys.argv[1:] not in ([], ["--report"], ["--list"]):
        sys.exit(__doc__)
    if sys.argv[1:] == ["--list"]:
        for row in ROWS:
            print(f"{row.name:18} {row.title}: {', '.join(row.clients())}")
        print(f"{'parsing':18} heads and chunks: Wire, {', '.join(parsing.PEERS)}")
        return
    # Each signal is an interruption, which ends the servers and the clients.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    if len(os.sched_getaffinity(0)) == 1:
        say("there is one CPU: clients and server share it in each row")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    bench = Bench()
    is_interrupted = False
    start = time.monotonic()
    try:
        if not sys.argv[1:]:
            rows = chosen("ONLY", [*(row.name for row in ROWS), "parsing"], True)
            # The parsers have programs without a client.
            is_parsing = rows == ["parsing"]
            clients = OURS if is_parsing else bench.build(chosen("PEERS", CLIENTS, False))
            if not clients:
                sys.exit("bench.py: no client can be measured")
            for row in ROWS:
                if row.name in rows:
                    bench.attempt(row.name, lambda: bench.measure(row, clients))
            if "parsing" in rows:
                bench.attempt("parsing", lambda: bench.parse(clients))
            if not is_parsing:
                bench.load_with_faults(clients)
    except KeyboardInterrupt:
        is_interrupted = True
    try:
        if not sys.argv[1:]:
            bench.finish(time.monotonic() - start)
            bench.save()
        bench.write()
    except (Failure, OSError) as error:
        sys.exit(f"bench.py: {error}")
    except KeyboardInterrupt:
        sys.exit("bench.py: interrupted; `bench.py --report` writes the tables")
    if is_interrupted:
        sys.exit("bench.py: interrupted; the next run goes on with the row that was not finished")
    if bench.results["problems"]:
        sys.exit(f"bench.py: not measured: {', '.join(sorted(bench.results['problems']))}")
    if not bench.is_right:
        sys.exit(f"bench.py: under faults: {bench.results['faults']['text']}")
    if set(bench.results["missing"]) & {"floor", *OURS}:
        sys.exit("bench.py: there are no figures of this client or of the floor")


if __name__ == "__main__":
    main()
