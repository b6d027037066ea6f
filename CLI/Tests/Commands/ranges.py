"""A large document that the origin of scripts/check-fetch sends in parts, and a download of it that is cut.

Its entity tag is strong, so that a client may combine parts.
"""
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile
import time

# 20 MiB, five times the smallest part that `fetch` requests. All lines differ.
WHOLE = b"".join(b"%015d\n" % line for line in range(20 << 16))
DIGEST = "sha256:" + hashlib.sha256(WHOLE).hexdigest()
TAG = '"r1"'
FIRST_PART = 4 << 20
# What a part has received when `/ranges-cut` closes its connection.
CUT_AFTER = 1 << 20


def part(field):
    """Returns the range of a request as (start, end), without the end; None if it is for the whole document."""
    found = re.fullmatch(r"bytes=(\d+)-(\d*)", field.get("range", ""))
    if not found or field.get("if-range", TAG) != TAG:
        return None
    return int(found[1]), min(int(found[2] or len(WHOLE) - 1) + 1, len(WHOLE))


def serve(connection, origin, path, field):
    """Answers a request for the document.

    The first part ends only after another part was requested, on another connection. `/ranges-cut` closes the
    connections of all parts but the first.
    """
    wanted = part(field)
    start, end = wanted or (0, len(WHOLE))
    status = f"206 X\r\nContent-Range: bytes {start}-{end - 1}/{len(WHOLE)}" if wanted else "200 X"
    head = f"HTTP/1.1 {status}\r\nETag: {TAG}\r\nContent-Length: {end - start}\r\nConnection: close\r\n\r\n"
    connection.sendall(head.encode())
    half = (start + end) // 2
    connection.sendall(WHOLE[start:half] if start == 0 or path != "/ranges-cut" else WHOLE[start:start + CUT_AFTER])
    if start > 0 and path == "/ranges-cut":
        return
    if wanted and start == 0 and end < len(WHOLE):
        deadline = time.monotonic() + 5
        while not [span for span in spans(origin) if span[0] > 0]:
            if time.monotonic() > deadline:
                return
            time.sleep(0.005)
    connection.sendall(WHOLE[half:end])


def spans(origin):
    """Returns the ranges that were requested."""
    fields = [re.search(r"^range: *(\S+)", head, re.M | re.I) for head, _ in list(origin.requests)]
    return [part({"range": found[1]}) for found in fields if found]


def continuation_faults(fetch, origin):
    """Cuts a download with a journal and several connections, and runs it again: it requests only what is missing."""
    del origin.requests[:]
    with tempfile.TemporaryDirectory() as folder:
        def run():
            return subprocess.run(
                [fetch, "-sS", "--resume", "--retry", "0", "--segments", "2", "--checksum", DIGEST, "-o", "new",
                 f"{origin.url}/ranges-cut"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=30,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "HOME": folder}, start_new_session=True)

        file = pathlib.Path(folder, "new")
        file.write_text("old")
        done = run()
        if done.returncode != 18 or file.read_text() != "old":
            yield f"the first run ended with {done.returncode}: {done.stderr.decode()}"
        del origin.requests[:]
        origin.is_whole = True
        try:
            done = run()
        finally:
            origin.is_whole = False
        if done.returncode != 0 or file.read_bytes() != WHOLE:
            yield f"the second run ended with {done.returncode}: {done.stderr.decode()}"
        asked = spans(origin)
        if not asked or len(asked) != len(origin.requests):
            yield f"the second run requested {[head for head, _ in origin.requests]}"
        if any(start < FIRST_PART for start, _ in asked):
            yield f"the second run requested bytes of the first part: {asked}"
        if sum(end - start for start, end in asked) > len(WHOLE) - FIRST_PART - CUT_AFTER // 2:
            yield f"the second run requested bytes of a cut part: {asked}"
