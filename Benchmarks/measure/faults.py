"""Loads this client with a server that misbehaves, and checks every response and error: `scripts/soak`."""
import os
import signal
import subprocess
import threading

from .peers import ROOT


def command(seconds):
    return (os.path.join(ROOT, "scripts", "soak"), f"{seconds}s")


def run(words, limit=900):
    """Returns whether all checks have passed, and a line that says what was done or what is wrong."""
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, start_new_session=True)
    except OSError as error:
        return False, f"{os.path.basename(words[0])}: {error.strerror}"
    killer = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
    try:
        killer.start()
        output = process.stdout.read()
        code = process.wait()
    except BaseException:
        # An interrupted run leaves neither a compiler nor a server.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    finally:
        killer.cancel()
    return outcome(code, output)


def outcome(code, output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    done = [line.removeprefix("soak: ") for line in lines if " requests in " in line]
    if code == 0 and done:
        # The kinds of outcomes follow.
        return True, done[-1].partition(": ")[0]
    named = [line.removeprefix("soak: ") for line in lines if "FAILED" in line or "error" in line.lower()]
    return False, f"ended with {code}: {(named or lines or ['no message'])[0]}"
