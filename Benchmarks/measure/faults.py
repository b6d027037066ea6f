"""Loads this client with a server that misbehaves, and checks every response and error: `scripts/soak`."""
import os

from .client import finish
from .peers import ROOT


def command(seconds):
    return (os.path.join(ROOT, "scripts", "soak"), f"{seconds}s")


def run(words, limit=900):
    """Returns whether all checks have passed, and a line that says what was done or what is wrong."""
    try:
        output, code, _ = finish(words, limit)
    except OSError as error:
        return False, f"{os.path.basename(words[0])}: {error.strerror}"
    return outcome(code, output)


def outcome(code, output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    done = [line.removeprefix("soak: ") for line in lines if " requests in " in line]
    if code == 0 and done:
        # The kinds of outcomes follow.
        return True, done[-1].partition(": ")[0]
    named = [line.removeprefix("soak: ") for line in lines if "FAILED" in line or "error" in line.lower()]
    return False, f"ended with {code}: {(named or lines or ['no message'])[0]}"
