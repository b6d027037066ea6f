"""What a client takes: the size of its program, what it consists of, and the seconds of its build."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

from . import peers
from .peers import BENCHMARKS, BUILT, PEERS

RUST = os.path.join(BENCHMARKS, "peers", "rust")
# The lock files of SwiftPM. One that does not exist has no package.
PINS = {"httpclient": os.path.join(BENCHMARKS, "Package.resolved"),
        "http-load": os.path.join(BENCHMARKS, "http-load", "Package.resolved"),
        "ahc": os.path.join(BENCHMARKS, "peers", "AsyncHTTPClient", "Package.resolved")}
# The libraries of C and C++, which belong to the system and to the languages.
RUNTIME = re.compile(r"(ld-linux|libc\.|libm\.|libdl\.|librt\.|libpthread\.|libresolv\.|libgcc_s\.|libstdc\+\+\.)")


def program_mib(program):
    """Returns the MiB of the program without symbols."""
    with tempfile.TemporaryDirectory(prefix="http-bench-") as folder:
        copy = os.path.join(folder, "program")
        shutil.copy(program, copy)
        subprocess.run(["strip", copy], check=True, stderr=subprocess.DEVNULL)
        return os.path.getsize(copy) / (1 << 20)


def libraries(program):
    """Returns the number of shared libraries that are neither of the system nor of the language."""
    return count_libraries(subprocess.run(["ldd", program], capture_output=True, text=True).stdout)


def count_libraries(text):
    found = re.findall(r"^\s*(\S+) => (\S+)", text, re.MULTILINE)
    return len([name for name, path in found if not RUNTIME.match(name) and "/swift/" not in path])


def packages(name):
    """Returns the number of packages with source text, the client counted; None for a client of the system."""
    if name in ("go", "urlsession"):
        return 0
    if name in ("hyper", "reqwest"):
        # Those that its package depends on, without those that only its build uses.
        words = ["cargo", "tree", "-q", "--offline", "--config", ".cargo/config.toml", "-e", "normal", "--prefix", "none",
                 "-p", name]
        text = subprocess.run(words, cwd=RUST, check=True, capture_output=True, text=True).stdout
        # A package that is named again has a mark behind its version.
        return len({tuple(line.split()[:2]) for line in text.splitlines()})
    file = PINS.get("httpclient" if name.startswith("httpclient") else name)
    if not file:
        return None
    if not os.path.exists(file):
        return 1
    with open(file, encoding="utf-8") as text:
        return 1 + len(json.load(text)["pins"]) - (name == "ahc")


def seconds_file(name):
    """Returns the file with the seconds of a build; clients that are built together have one."""
    return os.path.join(BUILT, f"{next(peer for peer in PEERS if PEERS[peer].build == PEERS[name].build)}.seconds")


def build(name, log):
    """Builds a client, and keeps the seconds if there was nothing of it. Returns None, or the reason why it failed."""
    peer = PEERS[name]
    is_new = peer.leaves and not os.path.exists(peer.leaves)
    start = time.monotonic()
    problem = peers.build(peer.build, log)
    if is_new and not problem:
        with open(seconds_file(name), "w", encoding="utf-8") as file:
            file.write(f"{time.monotonic() - start:.2f}\n")
    return problem


def build_seconds(name):
    """Returns how long the last build from nothing took; None if there was none here."""
    if not PEERS[name].leaves:
        return None
    try:
        with open(seconds_file(name), encoding="utf-8") as file:
            return float(file.read())
    except (OSError, ValueError):
        return None


def sizes(name):
    """Returns what is known of a client that can be run."""
    found = {}
    program = shutil.which(PEERS[name].words[0])
    for key, value in (("program_mib", lambda: program_mib(program)), ("libraries", lambda: libraries(program)),
                       ("packages", lambda: packages(name)), ("build_s", lambda: build_seconds(name))):
        try:
            number = value()
        except (OSError, ValueError, KeyError, subprocess.CalledProcessError):
            # A tool is missing. The rest is said.
            continue
        if number is not None:
            found[key] = round(number, 2)
    return found
