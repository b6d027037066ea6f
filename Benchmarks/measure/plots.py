"""Draws the plots. A plot is a function of figures, which returns a Drawing; the colours and sizes are here."""
import html
import math

OURS = {"httpclient-loop": "#b91c1c", "httpclient": "#ea580c", "httpclient-blocking": "#f59e0b"}
COLORS = {**OURS, "floor": "#111827", "wrk": "#6b7280", "hyper": "#1d4ed8", "reqwest": "#60a5fa", "libcurl": "#047857",
          "curl": "#047857", "go": "#0891b2", "ahc": "#7c3aed", "urlsession": "#db2777", "floor-splice": "#374151",
          "httpclient-loop-single": "#fca5a5",
          "httpclient-single": "#fdba74", "aria2": "#b45309", "http-load": "#be185d",
          # The loads of http-load.
          "get-64": "#6b7280", "open-50": "#ea580c", "open-80": "#b91c1c"}
WIDTH = 860
INK, FAINT, GRID = "#111827", "#6b7280", "#e5e7eb"


class Drawing:
    """The elements of one SVG."""

    def __init__(self, title, note):
        self.parts = []
        self.height = 0
        self.text(16, 26, title, size=16, weight="bold")
        self.text(16, 46, note, fill=FAINT, size=12)

    def text(self, x, y, text, anchor="start", fill=INK, size=12, weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}" font-size="{size}"'
                          f' font-weight="{weight}">{html.escape(str(text))}</text>')
        self.height = max(self.height, y + 14)

    def line(self, x1, y1, x2, y2, color=GRID, width=1):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"'
                          f' stroke-width="{width}"/>')
        self.height = max(self.height, y1 + 6, y2 + 6)

    def box(self, x, y, width, height, color):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" fill="{color}"/>')

    def path(self, points, color, width):
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{text}" fill="none" stroke="{color}" stroke-width="{width}"/>')
        for x, y in points:
            self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width + 1}" fill="{color}"/>')

    def svg(self, source):
        """Returns the text of the file; `source` says on what the figures were made."""
        self.text(16, self.height + 12, source, fill=FAINT, size=10)
        # The background is part of the picture, because pages may be dark.
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height:.0f}" width="{WIDTH}"'
                f' height="{self.height:.0f}" font-family="Helvetica, Arial, sans-serif">\n'
                f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def short(value):
    """Returns a number with about three digits."""
    if value >= 10_000:
        return f"{value / 1000:,.0f} 000"
    return f"{value:,.0f}".replace(",", " ") if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def mark_text(value):
    """Returns the number at a mark of an axis."""
    return f"{value:,.0f}".replace(",", " ") if value >= 1 else f"{value:g}"


class Scale:
    """A scale from the least to the greatest value, logarithmic or from 0. `base` is a value that it contains."""

    def __init__(self, values, start, length, is_log, base=None):
        self.start, self.length, self.is_log = start, length, is_log
        low, high = min(values), max(values)
        low = low / 1.15 if base is None else min(low, base)
        self.low, self.high = (low, high * 1.15) if is_log else (0, high * 1.1 or 1)

    def at(self, value):
        if self.is_log:
            part = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            part = value / self.high
        return self.start + part * self.length

    def marks(self):
        if not self.is_log:
            step = 10 ** math.floor(math.log10(self.high / 3))
            step = next(step * factor for factor in (1, 2, 5, 10) if self.high / (step * factor) <= 6)
            return [step * number for number in range(int(self.high / step) + 1)]
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        factors = (1,) if self.high / self.low > 1000 else (1, 2, 5)
        return [mark for decade in decades for factor in factors
                if self.low <= (mark := factor * 10 ** decade) <= self.high]


def bars(title, note, panels, unit, is_log=False, base=None, has_one_scale=True):
    """Draws a bar for each client in each panel. A panel is a title and rows of name, client, (value, least, greatest).

    With has_one_scale, the bars of different panels can be compared.
    """
    drawing = Drawing(title, note)
    left, right, top = 190, 90, 70
    for heading, rows in panels:
        scaled = [rows for _, rows in panels] if has_one_scale else [rows]
        values = [value for rows in scaled for _, _, figure in rows for value in figure]
        scale = Scale(values, left, WIDTH - left - right, is_log, base)
        drawing.text(16, top + 12, heading, weight="bold", size=13)
        top += 22
        bottom = top + 20 * len(rows)
        for mark in scale.marks():
            drawing.line(scale.at(mark), top, scale.at(mark), bottom)
            drawing.text(scale.at(mark), bottom + 13, mark_text(mark), "middle", FAINT, 10)
        for name, client, (value, least, greatest) in rows:
            middle = top + 10
            drawing.text(left - 8, middle + 4, name, "end", weight="bold" if client in OURS else "normal")
            drawing.box(left, top + 3, scale.at(value) - left, 14, COLORS.get(client, FAINT))
            if greatest > least:
                drawing.line(scale.at(least), middle, scale.at(greatest), middle, FAINT, 2)
            drawing.text(max(scale.at(value), scale.at(greatest)) + 6, middle + 4, f"{short(value)} {unit}".strip(), size=11)
            top += 20
        top = bottom + 32
    return drawing


def lines(title, note, xs, series, x_title, y_title, names=None):
    """Draws a line for each client; both axes are logarithmic. `series` is rows of name, client and y values or None."""
    drawing = Drawing(title, note)
    left, top, width, height = 60, 80, WIDTH - 60 - 190, 340
    values = [y for _, _, ys in series for y in ys if y is not None]
    across = Scale(xs, left, width, True)
    up = Scale(values, top + height, -height, True)
    for mark in up.marks():
        drawing.line(left, up.at(mark), left + width, up.at(mark))
        drawing.text(left - 6, up.at(mark) + 4, mark_text(mark), "end", FAINT, 10)
    for x, name in zip(xs, names or xs):
        drawing.line(across.at(x), top, across.at(x), top + height)
        drawing.text(across.at(x), top + height + 16, name, "middle", FAINT, 11)
    drawing.text(left + width / 2, top + height + 36, x_title, "middle", FAINT)
    drawing.text(left - 44, top - 10, y_title, fill=FAINT)
    ends = []
    for name, client, ys in series:
        points = [(across.at(x), up.at(y)) for x, y in zip(xs, ys) if y is not None]
        if points:
            drawing.path(points, COLORS.get(client, FAINT), 2.5 if client in OURS else 1.5)
            ends.append([points[-1][1], points[-1], name, client])
    # Labels at the ends of the lines, moved apart.
    ends.sort(key=lambda end: end[0])
    for index in range(1, len(ends)):
        ends[index][0] = max(ends[index][0], ends[index - 1][0] + 15)
    for y, (end_x, end_y), name, client in ends:
        drawing.line(end_x + 5, end_y, left + width + 12, y, COLORS.get(client, FAINT))
        drawing.text(left + width + 16, y + 4, name, fill=COLORS.get(client, FAINT), weight="bold" if client in OURS else "normal")
    return drawing
