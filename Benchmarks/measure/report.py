"""Makes the tables and plots of the results."""
import collections
import os
import statistics

from . import parsing, plots, targets
from .peers import PEERS
from .suite import CLIENTS, OURS, ROWS, stall_latency

TABLES = [
    ("Keep-alive", [row for row in ROWS if row.mode == "get" and row.count == "times" and not row.load]),
    ("New connections", [row for row in ROWS if row.mode in ("close", "origins")]),
    ("Large bodies", [row for row in ROWS if row.is_big and row.mode != "segments"]),
    ("Downloads in parts", [row for row in ROWS if row.mode == "segments"]),
]
OPEN = ("p50_us", "p90_us", "p99_us", "p99_9_us")
SIZE_HEADS = ("program, MiB", "packages", "shared libraries", "memory, 512 connections, MiB", "build, s")
SIZES = """### Sizes and builds

The program is that of the driver, stripped, without its shared libraries. Packages are those with source text that it is
built of, the client counted and the standard distribution of the language not: the pins of SwiftPM, for Rust those of
`cargo tree`. Shared libraries are those of `ldd`, without those of C, C++ and Swift. The memory is the greatest. A build
begins with nothing but the compiler and, for Go, its cache; that of AsyncHTTPClient fetches, and hyper and reqwest are
built together.

"""
COUNTS = [row for row in ROWS if row.count in ("instructions", "allocations", "system_calls")]
# What a latency has if each request of an open load counts from the time at which it is due: while the server stops, the
# requests of that second wait for the rest of it.
STALLED = "computed: each request waits for the rest of the stop"


def median(runs, key="cpu_us"):
    return statistics.median(run[key] for run in runs)


def ratios(runs, floor):
    """Returns the median, the least and the greatest ratio of neighboring runs."""
    found = sorted(a["cpu_us"] / b["cpu_us"] for a, b in zip(runs, floor) if b["cpu_us"] > 0)
    return (statistics.median(found), found[0], found[-1]) if found else None


def number(value):
    return "" if value is None else str(value) if isinstance(value, int) else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def rows_text(title, lines):
    return "\n".join(["| " + " | ".join(title) + " |", "|---" * len(title) + "|",
                      *("| " + " | ".join(line) + " |" for line in lines)])


class Report:
    """The text and the plots of `results`, as `bench.py` keeps them."""

    def __init__(self, results):
        self.rows = results["rows"]
        self.missing = results["missing"]
        self.problems = results.get("problems", {})
        self.run = results.get("run")
        self.faults = results.get("faults")
        self.sizes = results.get("sizes", {})
        # The section Sizes of RESULTS.md.
        self.recorded = results.get("recorded", {})
        self.parsing = results.get("parsing")
        measured = {client for row in self.rows.values() for client in row["clients"]}
        self.clients = [client for client in CLIENTS if client in measured]

    def runs(self, row, client):
        return self.rows.get(row, {}).get("clients", {}).get(client)

    # MARK: - Text

    def origins(self):
        """Returns what the figures depend on, and which rows have which origin if there are several."""
        rows = {}
        for row in ROWS:
            if row.name in self.rows:
                rows.setdefault(self.rows[row.name]["origin"], []).append(row.name)
        if len(rows) == 1:
            return next(iter(rows))
        return "\n".join(f"{origin} Rows: {', '.join(names)}." for origin, names in sorted(rows.items()))

    def stages(self):
        """Returns what the last run took, and whether this client was right under faults."""
        found = []
        if self.run:
            minutes = max(1, round(self.run["seconds"] / 60))
            time = f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
            found.append(f"The last run took {time} and measured {self.run['rows']} of {self.run['all']} rows.")
        if self.faults:
            result = "passed" if self.faults["is_right"] else "**failed**"
            found.append(f"Load with injected faults (`scripts/soak`), at `{self.faults['commit']}`: {result}: {self.faults['text']}.")
        return found

    def table(self, head, rows):
        """Returns a table with a column for each client that has a figure in one of the rows."""
        columns = list(zip([head, *(PEERS[client].title for client in self.clients)], *rows))
        columns = columns[:1] + [column for column in columns[1:] if any(column[1:])]
        title, *lines = zip(*columns)
        return rows_text(title, lines)

    def cpu(self, row, client):
        runs = self.runs(row.name, client)
        if not runs:
            return ""
        # A gigabyte takes parts of a second, a request microseconds.
        value = median(runs)
        text = f"{value / 1e6:.2f} s" if row.is_big else f"{value:.1f}"
        base = self.runs(row.name, f"{client}-single" if row.mode == "segments" else "floor")
        ratio = base and client != "floor" and ratios(runs, base)
        return f"{text} ({ratio[0]:.2f})" if ratio else text

    def rate(self, row, client):
        runs = self.runs(row.name, client)
        return f"{median(runs, 'rps') * row.size / (1 << 20):.0f}" if runs else ""

    def text(self):
        parts = []
        for title, rows in TABLES:
            lines = [[row.title, *(self.cpu(row, client) for client in self.clients)]
                     for row in rows if row.name in self.rows]
            if lines:
                unit = "Seconds" if rows[0].is_big else "Microseconds a request"
                base = "one stream of the same client" if rows[0].mode == "segments" else "the C floor"
                parts.append(f"### {title}\n\n{unit}; in brackets the ratio to {base}.\n\n" + self.table("CPU time", lines))
            if lines and rows[0].is_big:
                lines = [[row.title, *(self.rate(row, client) for client in self.clients)] for row in rows if row.name in self.rows]
                parts.append("MiB a second. The start of the processes of curl and aria2 counts, too.\n\n" + self.table("rate", lines))
        lines = [[row.title, *(self.count(row, client) for client in self.clients)]
                 for row in COUNTS if row.name in self.rows]
        if lines:
            parts.append("### Counts\n\nOf one request over one warm connection. They do not depend on other load.\n\n"
                         + self.table("for each request", lines))
        lines = [[title, *(self.figure(row, client, key) for client in self.clients)]
                 for title, row, key in (("p50, 1 connection, µs", "get-1", "p50_us"), ("p99, 1 connection, µs", "get-1", "p99_us"),
                                         ("p50, 64 connections, µs", "get-64", "p50_us"),
                                         ("p99, 64 connections, µs", "get-64", "p99_us"),
                                         ("resident memory, 1 connection, MiB", "get-1", "rss_mib"),
                                         ("resident memory, 512 connections, MiB", "get-512", "rss_mib"),
                                         ("the same with TLS, MiB", "tls-512", "rss_mib"),
                                         ("resident memory after one GET, MiB", "start", "rss_mib"),
                                         ("start of the process and one GET, CPU µs", "start", "cpu_us"),
                                         ("the same, ms from start to end", "start", "wall_ms")) if row in self.rows]
        lines += self.connection_lines()
        if lines:
            parts.append("### Latency and memory\n\nLatencies under closed load.\n\n" + self.table("", lines))
        lines = [[PEERS[client].title, *(number(value) for value in values)] for client, values in self.taken()]
        if lines:
            parts.append(SIZES + rows_text(["", *SIZE_HEADS], lines))
        lines = [[row.title, *(self.figure(row.name, "http-load", key) for key in OPEN)]
                 for row in ROWS if row.load and row.name in self.rows] + self.stall_lines()
        if lines:
            parts.append("### Open load\n\n`http-load` with 64 connections: each request is due at its own time, and its latency"
                         " is counted from then. Microseconds.\n\n"
                         + rows_text(["", *(key.removesuffix("_us").replace("_", ".") for key in OPEN)], lines))
        if self.parsing:
            parts.append(self.parsing_text())
        lines = list(targets.lines(self))
        if lines:
            head = ["target", "", *(PEERS[client].title for client in OURS)]
            parts.append("### Targets\n\nRatios are medians of neighboring runs, except between two rows.\n\n"
                         + rows_text(head, lines))
        notes = [f"- {PEERS[client].title}: {reason}" for client, reason in sorted(self.missing.items())]
        notes += [f"- {row.title}: {self.problems[row.name]}" for row in ROWS if row.name in self.problems]
        notes += [f"- {row.title}, {PEERS[client].title}: {reason}" for row in ROWS
                  for client, reason in sorted(self.rows.get(row.name, {}).get("failures", {}).items())
                  if client in row.clients()]
        notes += [f"- Parsing: {reason}" for name, reason in self.problems.items() if name == "parsing"]
        notes += [f"- {name}: {reason}" for name, reason in (self.parsing or {}).get("missing", {}).items()]
        if notes:
            parts.append("### Not measured\n\n" + "\n".join(notes))
        return "\n\n".join(parts)

    def connection_lines(self):
        """Returns what each connection costs: while all are in use, and while a client of ours is idle."""
        line = []
        for client in self.clients:
            one, many = self.runs("get-1", client), self.runs("get-4096", client)
            has_both = one and many and "rss_mib" in one[0] and "rss_mib" in many[0]
            line.append(number((median(many, "rss_mib") - median(one, "rss_mib")) * 1024 / 4095) if has_both else "")
        lines = [["memory of each of 4096 connections in use, KiB", *line]] if any(line) else []
        lines += [[title, *(self.figure(row, client, key) for client in self.clients)] for title, row, key in (
            ("memory of each of 10 000 idle connections, KiB", "idle", "idle_kib"),
            ("the same with TLS, KiB", "idle-tls", "idle_kib"),
            ("CPU of 10 000 idle connections, ms a second", "idle", "idle_cpu_ms")) if row in self.rows]
        return lines

    def stall_lines(self):
        """Returns the latencies while the server stops for a second: those that are right, and those of each client."""
        if "stall" not in self.rows:
            return []
        row = next(row for row in ROWS if row.name == "stall")
        lines = [[f"{row.title}; {STALLED}", *(f"{stall_latency(share) * 1e6:.1f}" for share in (0.5, 0.9, 0.99, 0.999))]]
        return lines + [[f"{row.title}; {PEERS[client].title}, {load}", *(self.figure(row.name, client, key) for key in OPEN)]
                        for client, load in (("http-load", "open load"), ("wrk", "closed load, corrected"))]

    def parsing_text(self):
        """Returns the times of the parsers, and the targets of ours. A peer without figures has empty cells."""
        found, peers = self.parsing, ("picohttpparser", "llhttp", "httparse")

        def cell(one, name, scale=1):
            if name not in one:
                return ""
            ratios = [f"{one[name][key][0]:.2f}" for key in ("buffer", "slice", "speed") if key in one[name]]
            return number(one[name]["ns"] / scale) + (f" ({' / '.join(ratios)})" if ratios else "")

        columns = (*parsing.OURS, *peers)
        heads = [[name, *(cell(found["heads"][name], column) for column in columns)] for name in parsing.INPUTS]
        chunks = [[f"{size} bytes", *(cell(found["chunks"][str(size)], name, 1000) for name in ("wire", "llhttp"))]
                  for size in parsing.CHUNKS]
        lines = []
        for target in parsing.TARGETS:
            values = {name: target.value(self, name) for name in target.limits}
            cells = [f"{name}: {targets.cell(target, name, value)}" for name, value in values.items() if value is not None]
            lines += [[target.title, targets.limit_text(target), ", ".join(cells)]] if cells else []
        return "\n\n".join([
            f"### Parsing\n\nMeasured at `{found['commit']}` on {found['date']}. Nanoseconds for a head of `heads/`; in"
            " brackets the ratio of Wire to it, buffer / slice.",
            rows_text(["head", "Wire, buffer", "Wire, slice", *peers], heads),
            "Microseconds for 1 MiB in chunks; in brackets the speed of Wire relative to llhttp.",
            rows_text(["chunks of", "Wire", "llhttp"], chunks), rows_text(["target", "", ""], lines)])

    def taken(self):
        """Returns each client with its figures below SIZE_HEADS, those that are not known as None. A program is in it once,
        except if its memory differs."""
        programs = set()
        for client in self.clients:
            found = self.sizes.get(client)
            runs = self.runs("get-512", client)
            memory = median(runs, "rss_mib") if runs and "rss_mib" in runs[0] else None
            if found and (memory or PEERS[client].words[0] not in programs):
                programs.add(PEERS[client].words[0])
                yield client, [found.get("program_mib"), found.get("packages"), found.get("libraries"), memory, found.get("build_s")]

    def count(self, row, client):
        value = self.runs(row.name, client)
        if value is None:
            return ""
        return f"{value:,.0f}".replace(",", " ") if value >= 100 else f"{value:.2f}"

    def figure(self, row, client, key):
        runs = self.runs(row, client)
        return f"{median(runs, key):.1f}" if runs and key in runs[0] else ""

    # MARK: - Plots

    def plots(self):
        """Returns the SVG of each plot by its name; a plot without figures is left out."""
        made = {"cpu": self.cpu_plot(), "concurrency": self.lines_plot(
            "CPU time of a request by the number of connections", "GET of 13 bytes over kept connections; lower is better",
            [("get-1", 1, "1"), ("get-8", 8, "8"), ("get-64", 64, "64"), ("get-512", 512, "512"), ("get-4096", 4096, "4096")],
            "connections"), "body-size": self.lines_plot(
            "CPU time of a request by the size of the body", "8 connections; lower is better",
            [("get-8", 13, "13 B"), ("body-1k", 1 << 10, "1 KiB"), ("body-16k", 16 << 10, "16 KiB"), ("body-1m", 1 << 20, "1 MiB")],
            "body"), "large-bodies": self.rate_plot(), "instructions": self.count_plot(), "latency": self.latency_plot(),
            "open-load": self.open_plot(), "sizes": self.sizes_plot()}
        return {name: drawing.svg(self.source()) for name, drawing in made.items() if drawing}

    def source(self):
        """Returns one line with what the figures of the plots depend on."""
        found = collections.Counter(row["origin"] for row in self.rows.values()).most_common()
        others = f" Some rows are of {len(found) - 1} other run{'s' * (len(found) > 2)}." if len(found) > 1 else ""
        return found[0][0].replace("`", "") + others

    def named(self, clients=None):
        return [(PEERS[client].title, client) for client in clients or self.clients]

    def cpu_plot(self):
        panels = []
        for row in (row for row in ROWS if row.name in ("get-1", "get-64", "tls-64", "close-8")):
            floor = self.runs(row.name, "floor")
            bars = [(title, client, ratio) for title, client in self.named() if client != "floor" and floor
                    and self.runs(row.name, client) and (ratio := ratios(self.runs(row.name, client), floor))]
            if bars:
                panels.append((row.title, bars))
        return panels and plots.bars("CPU time of a request, compared with the C floor",
                                     "1 is a C program that sends and receives and parses nothing. Median and spread of paired"
                                     " runs, logarithmic; lower is better", panels, "×", is_log=True, base=1)

    def lines_plot(self, title, note, points, x_title):
        points = [point for point in points if point[0] in self.rows]
        series = [(name, client, [runs and median(runs) for runs in (self.runs(row, client) for row, _, _ in points)])
                  for name, client in self.named()]
        series = [one for one in series if sum(y is not None for y in one[2]) > 1]
        return series and plots.lines(title, note, [x for _, x, _ in points], series, x_title, "µs",
                                      [name for _, _, name in points])

    def rate_plot(self):
        panels = []
        for row in (row for row in ROWS if row.is_big):
            bars = []
            for title, client in self.named():
                runs = self.runs(row.name, client)
                if runs:
                    rates = sorted(run["rps"] * row.size / (1 << 20) for run in runs)
                    bars.append((title, client, (statistics.median(rates), rates[0], rates[-1])))
            if bars:
                panels.append((row.title, bars))
        return panels and plots.bars(
            "Throughput of large bodies", "On loopback, each body with its own scale; higher is better", panels, "MiB/s",
            has_one_scale=False)

    def count_plot(self):
        bars = [(title, client, (value, value, value)) for title, client in self.named()
                if client != "floor" and (value := self.runs("instructions", client))]
        return bars and plots.bars("User instructions of a request",
                                   "GET of 13 bytes over one warm connection, counted by callgrind; lower is better",
                                   [("13 bytes, plain", bars)], "")

    def latency_plot(self):
        panels = []
        for key, title in (("p50_us", "median"), ("p99_us", "99th percentile")):
            bars = []
            for name, client in self.named():
                runs = self.runs("get-64", client)
                if runs and key in runs[0]:
                    values = sorted(run[key] for run in runs)
                    bars.append((name, client, (statistics.median(values), values[0], values[-1])))
            if bars:
                panels.append((title, bars))
        return panels and plots.bars("Latency with 64 connections", "GET of 13 bytes, closed load; lower is better", panels,
                                     "µs", is_log=True)

    def open_plot(self):
        """The latencies of http-load under closed and open load, by percentile."""
        series = [(title, row, [median(runs, key) for key in OPEN])
                  for row, title in (("get-64", "closed load"), *((row.name, f"{row.load:.0%} of its rate") for row in ROWS if row.load))
                  if (runs := self.runs(row, "http-load"))]
        # The distance of two percentiles is that of the numbers of requests among which one is slower.
        return series and plots.lines(
            "Latency of HTTPClient under open load", "http-load with 64 connections, counted from the time at which a request is"
            " due; GET of 13 bytes, lower is better", [2, 10, 100, 1000], series, "percentile", "µs",
            [key.removesuffix("_us").replace("_", ".") for key in OPEN])

    def sizes_plot(self):
        panels = []
        for place, title in ((0, "program without symbols, MiB"), (3, "greatest memory with 512 connections, MiB"),
                             (4, "build from nothing, seconds")):
            bars = [(PEERS[client].title, client, (values[place],) * 3) for client, values in self.taken() if values[place]]
            if bars:
                panels.append((title, bars))
        return panels and plots.bars("What a client takes", "Without shared libraries, each panel with its own scale; lower is"
                                     " better", panels, "", has_one_scale=False)


def write_plots(report, folder):
    os.makedirs(folder, exist_ok=True)
    for name, text in report.plots().items():
        with open(os.path.join(folder, f"{name}.svg"), "w", encoding="utf-8") as file:
            file.write(text)
