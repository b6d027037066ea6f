"""The targets of this client, and whether the measured rows meet them.

To add a target, add a line to TARGETS. Each has the rows that it needs; without their figures it is left out.
"""
import dataclasses
import statistics
import typing

from .suite import OURS, stall_latency

LOOP, ELSEWHERE, BLOCKING = OURS


@dataclasses.dataclass(frozen=True)
class Target:
    title: str
    # Returns the figure of a client, from a Report; None if it was not measured.
    value: typing.Callable
    # The limit for each client of ours. http-load calls on the loop.
    limits: dict
    # Whether the figure must be at least as large as the limit, and not at most.
    is_least: bool = False
    unit: str = ""

    def is_met(self, value, limit):
        return value >= limit if self.is_least else value <= limit


def paired(report, row, client, other, key, combine):
    """Returns the median of what two neighboring runs give; None without figures."""
    a, b = report.runs(row, client), report.runs(row, other)
    pairs = [(x[key], y[key]) for x, y in zip(a or [], b or []) if y[key] > 0]
    return statistics.median(combine(x, y) for x, y in pairs) if pairs else None


def ratio(row, other="floor", key="cpu_us"):
    return lambda report, client: paired(report, row, client, other, key, lambda x, y: x / y)


def single(row, key="cpu_us"):
    """The ratio of a download in parts to one stream of the same client."""
    return lambda report, client: paired(report, row, client, f"{client}-single", key, lambda x, y: x / y)


def own_work(row):
    return lambda report, client: paired(report, row, client, "floor", "cpu_us", lambda x, y: x - y)


def between(row, former, key="cpu_us"):
    """The ratio of two rows of the same client, whose runs are no neighbors."""
    def value(report, client):
        a, b = report.runs(row, client), report.runs(former, client)
        return statistics.median(x[key] for x in a) / statistics.median(x[key] for x in b) if a and b else None
    return value


def median(row, key):
    def value(report, client):
        runs = report.runs(row, client)
        return statistics.median(run[key] for run in runs) if runs and key in runs[0] else None
    return value


def count(row):
    return lambda report, client: report.runs(row, client)


def count_ratio(row, other):
    def value(report, client):
        a, b = report.runs(row, client), report.runs(row, other)
        return a / b if a is not None and b else None
    return value


def recorded(name):
    """A figure of the section Sizes of RESULTS.md."""
    return lambda report, _: report.recorded.get(name)


def size(key):
    return lambda report, client: report.sizes.get(client, {}).get(key)


def part(value, whole):
    return None if value is None else value / whole


def limits(loop=None, elsewhere=None, blocking=None):
    return {client: limit for client, limit in zip(OURS, (loop, elsewhere, blocking)) if limit is not None}


TARGETS = [
    Target("user instructions of a GET, × hyper", count_ratio("instructions", "hyper"), limits(1, 1, 1)),
    Target("allocations of a GET", count("allocations"), limits(6, 10)),
    Target("system calls of a GET", count("system-calls"), limits(3, 6)),
    *[Target(f"{title}, CPU beyond the floor", own_work(row), limits(*numbers), unit="µs")
      for title, row, numbers in (
          ("1 connection", "get-1", (2.2, 4.5, 2.8)), ("64 connections", "get-64", (2.2, 4.5)),
          ("512 connections", "get-512", (3.0, 6.0)), ("64 connections, TLS", "tls-64", (3.0, 6.0)))],
    Target("http-load, 64 connections, CPU × wrk", lambda report, _: ratio("get-64", "wrk")(report, "http-load"),
           limits(loop=1.3)),
    Target("512 connections, CPU × 64 connections", between("get-512", "get-64"), limits(1.3, 1.3)),
    Target("new connection, CPU × floor", ratio("close-8"), limits(1.1, 1.1)),
    Target("new TLS connection, CPU × floor", ratio("close-tls"), limits(1.1, 1.1)),
    Target("resumed TLS connection, CPU × floor", ratio("close-tls-resumed"), limits(1.1, 1.1)),
    Target("1 GiB discarded, CPU × floor", ratio("down"), limits(1.15, 1.3, 1.3)),
    Target("1 GiB discarded, TLS, CPU × floor", ratio("down-tls"), limits(1.15, 1.15, 1.15)),
    Target("1 GiB into a file, rate × curl", ratio("save", "curl", "rps"), limits(2, 2), is_least=True),
    Target("1 GiB into a file, rate × floor with splice", ratio("save", "floor-splice", "rps"), limits(0.9, 0.9),
           is_least=True),
    Target("1 GiB into a file, CPU × curl", ratio("save", "curl"), limits(0.5, 0.5)),
    Target("1 GiB into a file, TLS, rate × curl", ratio("save-tls", "curl", "rps"), limits(1, 1), is_least=True),
    Target("1 GiB in parts, CPU × one stream", single("segments"), limits(1.05, 1.05)),
    Target("1 GiB in parts, rate × one stream", single("segments", "rps"), limits(0.95, 0.95), is_least=True),
    Target("64 MiB in parts over slow connections, rate × curl", ratio("segments-slow", "curl", "rps"), limits(3, 3),
           is_least=True),
    Target("64 MiB in parts over slow connections, TLS, rate × curl", ratio("segments-slow-tls", "curl", "rps"),
           limits(3, 3), is_least=True),
    Target("1 GiB from a file, CPU × floor", ratio("up"), limits(1.15, 1.15)),
    Target("1 GiB from a file, TLS, CPU × floor", ratio("up-tls"), limits(1.15, 1.15)),
    Target("1 MiB in small chunks, CPU × 1 MiB", between("chunks", "body-1m"), limits(3, 3)),
    Target("one of 10 000 origins, CPU × new connection", between("origins", "close-8"), limits(1.1, 1.1)),
    Target("http-load, server stopped for 1 s, p99 × computed",
           lambda report, _: part(median("stall", "p99_us")(report, "http-load"), stall_latency(0.99) * 1e6),
           limits(loop=0.95), is_least=True),
    Target("memory of an idle connection", median("idle", "idle_kib"), limits(4, 4), unit="KiB"),
    Target("memory of an idle TLS connection", median("idle-tls", "idle_kib"), limits(48, 48), unit="KiB"),
    Target("CPU of 10 000 idle connections", median("idle", "idle_cpu_ms"), limits(1, 1), unit="ms/s"),
    Target("start, one GET and end", median("start", "wall_ms"), limits(4, 4, 4), unit="ms"),
    Target("resident memory after one GET", median("start", "rss_mib"), limits(9, 9, 9), unit="MiB"),
    *[Target(f"program of the README, static, {title} Foundation", recorded(f"size {title} Foundation"),
             limits(elsewhere=limit), unit="MiB") for title, limit in (("without", 9), ("with", 16))],
    Target("packages, the client counted", size("packages"), limits(elsewhere=1)),
    Target("build from nothing", size("build_s"), limits(elsewhere=45), unit="s"),
    Target("resident memory, 512 connections", median("get-512", "rss_mib"), limits(16, 16), unit="MiB"),
    Target("resident memory, 512 connections, TLS", median("tls-512", "rss_mib"), limits(38, 38), unit="MiB"),
]


def lines(report):
    """Returns a line for each target with figures: its title, its limits, and the figure of each client of ours."""
    for target in TARGETS:
        values = {client: target.value(report, client) for client in target.limits}
        if any(value is not None for value in values.values()):
            yield [target.title, limit_text(target), *(cell(target, client, values.get(client)) for client in OURS)]


def limit_text(target):
    numbers = [f"{limit:g}" for limit in target.limits.values()]
    text = numbers[0] if len(set(numbers)) == 1 else " / ".join(numbers)
    return f"{'≥' if target.is_least else '≤'} {text} {target.unit}".rstrip()


def cell(target, client, value):
    if value is None:
        return ""
    # Compared as it is printed, so that the table does not contradict itself.
    text = f"{value:.1f}" if target.unit else f"{value:.2f}"
    return f"{text} {'met' if target.is_met(float(text), target.limits[client]) else '**missed**'}"
