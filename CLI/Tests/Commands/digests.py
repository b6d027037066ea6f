"""The command lines of scripts/check-fetch for digests, and for files that the library writes."""
import hashlib
import pathlib
import subprocess
import tempfile

import ranges
from rows import CHUNKED, CONTENT, Row, SHA256

HELLO = "sha256:" + hashlib.sha256(b"hello").hexdigest()
# What the message about a wrong digest has.
BOTH = f"the digest of the body is {HELLO}, but {SHA256} was expected"
KEPT = BOTH + r"; the received file is \.a\.\w+\.part$"
# The head and the trailers of `/trailers`.
HEADS = CHUNKED.decode().replace("\r", "") + "Content-Length: 9\nSet-Cookie: a=b\n"
# The options with which the library writes the file.
DOWNLOADS = [("with a digest", ["--checksum", SHA256]), ("with a journal", ["--resume"]),
             ("over several connections", ["--segments", "2"])]
ROWS = [
    Row("body with its digest", ["-s", "--checksum", SHA256, "{url}/etag"], out=CONTENT.decode()),
    Row("body with another digest", ["-sS", "--checksum", SHA256, "{url}/a"], code=110, err=BOTH, out="hello"),
    Row("body with another digest for a device", ["-sS", "-i", "--checksum", SHA256, "-o", "/dev/null", "{url}/a"],
        code=110, err=BOTH),
    Row("body with another digest for a pipe", ["-sS", "--checksum", SHA256, "-o", "/dev/stdout", "{url}/a"],
        code=110, err=BOTH, out="hello"),
    *[Row(f"a body that cannot be verified: {name}", ["-sS", "--checksum", SHA256, *more], code=22, out="^$", err=err,
          count={"GET ": 1})
      for name, more, err in [
          ("an error status", ["{url}/missing"], "404"), ("a part", ["-r", "0-3", "{url}/range"], "206"),
          ("a redirect", ["{url}/hop"], "302"), ("no content", ["{url}/nothing"], "204"),
          ("an error status for a device", ["-o", "/dev/null", "{url}/missing"], "404"),
      ]],
    Row("the body of an error and a digest", ["-s", "--fail-with-body", "--checksum", SHA256, "{url}/missing"], code=22,
        out="no"),
    *[Row(f"a file with its digest {name}", ["-sS", "--checksum", SHA256, *more, "{url}/etag"], sent, out="",
          before={"etag": "old", **before}, files={"etag": CONTENT.decode()}, part="")
      for name, more, sent, before in [
          ("at --output", ["-o", "etag"], ["GET /etag "], {}),
          ("at --remote-name", ["-O"], ["GET /etag "], {}),
          ("with --sync", ["--sync", "-o", "etag"], ["GET /etag "], {}),
          ("with --create-dirs", ["--create-dirs", "-o", "etag"], ["GET /etag "], {}),
          ("with data", ["-d", "a=b", "-o", "etag"], ["POST /etag ", "\n\na=b"], {}),
          ("with an upload", ["-T", "up.txt", "-o", "etag"], ["PUT /etag ", "\n\nfile"], {"up.txt": "file"}),
          ("with a user", ["-u", "a:b", "-o", "etag"], ["Authorization: Basic "], {}),
          ("with --max-filesize", ["--max-filesize", "10", "-o", "etag"], ["GET /etag "], {}),
          ("with limits", ["--limit-rate", "1M", "-m", "9", "-o", "etag"], ["GET /etag "], {}),
      ]],
    *[Row(f"a file with another digest {name}", ["-sS", "--checksum", SHA256, *more, "{url}/a"], code=110, err=KEPT,
          before={"a": "old", **before}, files={"a": "old"}, part="hello")
      for name, more, before in [
          ("at --output", ["-o", "a"], {}),
          ("at --remote-name", ["-O"], {}),
          ("with --fail", ["-f", "-o", "a"], {}),
          ("with a journal", ["--resume", "-o", "a"], {}),
          ("over several connections", ["--segments", "4", "-o", "a"], {}),
          ("after retries", ["--retry", "1", "--retry-all-errors", "--retry-delay", "0.01", "-o", "a"], {}),
          ("with data", ["-d", "a=b", "-o", "a"], {}),
          ("with an upload", ["-T", "up.txt", "-o", "a"], {"up.txt": "file"}),
      ]],
    Row("a new file with another digest", ["-sS", "--checksum", SHA256, "-o", "a", "{url}/a"], code=110, err=KEPT,
        files={"a": None}, part="hello"),
    Row("parts with another digest", ["-sS", "--segments", "4", "--checksum", SHA256, "-o", "a", "{url}/ranges"],
        ["Range: bytes=4194304-"], code=110, before={"a": "old"}, files={"a": "old"}, part=ranges.WHOLE.decode(),
        err=f"{ranges.DIGEST}, but {SHA256} was expected; the received file is "),
    Row("parts with their digest", ["-sS", "--segments", "4", "--checksum", ranges.DIGEST, "-o", "a", "{url}/ranges"],
        ["Range: bytes=4194304-"], before={"a": "old"}, files={"a": ranges.WHOLE.decode()}, part=""),
    *[Row(f"a digest and no file: {name}", ["-sS", "--checksum", SHA256, *more], code=code, err=err,
          before={"a": "old"}, files={"a": "old"}, part="", count=count)
      for name, more, code, err, count in [
          ("an error status", ["-o", "a", "{url}/missing"], 22, "404", {"GET ": 1}),
          ("an error status with --fail", ["-f", "-o", "a", "{url}/missing"], 22, "404", {"GET ": 1}),
          ("a temporary error", ["--retry", "1", "--retry-delay", "0.01", "-o", "a", "{url}/busy"], 22, "503",
           {"GET ": 2}),
          ("any error", ["--retry", "1", "--retry-all-errors", "--retry-delay", "0.01", "-o", "a", "{url}/missing"],
           22, "404", {"GET ": 2}),
          ("a redirect", ["-o", "a", "{url}/hop"], 22, "302", {"GET ": 1}),
          ("a large body", ["--max-filesize", "9", "-o", "a", "{url}/etag"], 63, "9 bytes", {"GET ": 1}),
          ("a body that is cut short", ["-o", "a", "{url}/cut"], 18, "cut short", {"GET ": 1}),
          ("a proxy that refuses", ["-x", "127.0.0.1:9", "-o", "a", "{url}/etag"], 7, "", {"GET ": 0}),
          ("heads in the file", ["-i", "-o", "a", "{url}/etag"], 2, "--include", {"GET ": 0}),
          ("only heads", ["-I", "-o", "a", "{url}/etag"], 2, "--head", {"GET ": 0}),
          ("an offset", ["-C", "-", "-o", "a", "{url}/range"], 2, "--continue-at", {"GET ": 0}),
          ("the body of an error", ["--fail-with-body", "-o", "a", "{url}/etag"], 2, "--fail-with-body", {"GET ": 0}),
          ("lines", ["--lines", "-o", "a", "{url}/log"], 2, "--lines", {"GET ": 0}),
          ("lines of a remote name", ["--lines", "-O", "{url}/a"], 2, "--lines", {"GET ": 0}),
          ("an unmodified file", ["-z", "a", "-o", "a", "{url}/"], 0, "^$", {"GET ": 1}),
          ("an old document", ["-z", "a", "-o", "a", "{url}/aged"], 0, "^$", {"GET ": 1}),
      ]],
    Row("heads of a file with its digest",
        ["-s", "--checksum", HELLO, "-D", "heads", "-o", "new", "-w",
         "%{{http_code}} %{{size_download}} %{{filename_effective}}", "{url}/trailers"], out="200 5 new",
        files={"new": "hello", "heads": HEADS}, part=""),
    Row("the tag of a file with its digest",
        ["-s", "--etag-save", "tag", "--checksum", SHA256, "-o", "new", "{url}/etag"],
        files={"tag": '"v1"\n', "new": CONTENT.decode()}),
    Row("the tag of a file with another digest",
        ["-s", "--etag-save", "tag", "--checksum", HELLO, "-o", "new", "{url}/etag"], code=110,
        before={"tag": '"v0"\n'}, files={"tag": '"v0"\n', "new": None}),
    Row("the tag of an unmodified file with a digest",
        ["-s", "--etag-compare", "tag", "--etag-save", "tag", "--checksum", SHA256, "-o", "new", "-w",
         "%{{http_code}}", "{url}/etag"], out="304",
        before={"tag": '"v1"\n', "new": "old"}, files={"tag": '"v1"\n', "new": "old"}),
    Row("an old document with a digest", ["-s", "-z", "new", "--checksum", SHA256, "-o", "new", "-w", "%{{http_code}}",
        "{url}/aged"], out="304", before={"new": "old"}, files={"new": "old"}, part=""),
    Row("an unmodified file with a journal", ["-s", "-z", "new", "--resume", "-o", "new", "{url}/"],
        before={"new": "old"}, files={"new": "old"}, part=""),
    Row("a temporary error with a journal", ["-s", "--resume", "--retry", "1", "--retry-delay", "0.01", "-o", "new",
        "{url}/busy"], code=22, files={"new": None}, part="", count={"GET ": 2}),
    Row("the tag of a file with a journal", ["-s", "--resume", "--etag-save", "tag", "-o", "new", "{url}/etag"],
        files={"tag": '"v1"\n', "new": CONTENT.decode()}),
    Row("trailers of a file with a journal", ["-s", "--resume", "-D", "heads", "-o", "new", "{url}/trailers"],
        match={"heads": "chunked\n\nContent-Length: 9\n"}),
    Row("a redirect with a digest", ["-s", "--checksum", SHA256, "-o", "new", "-w", "%{{http_code}} %{{redirect_url}}",
        "{url}/hop"], code=22, out=r"^302 http://\S+/etag$", files={"new": None}),
    Row("the digest after a redirect", ["-s", "-L", "--checksum", SHA256, "-o", "new", "-w", "%{{url_effective}}",
        "{url}/hop"], out=r"^http://\S+/etag$", files={"new": CONTENT.decode()}),
    Row("dump of a file with its digest", ["-s", "--trace-ascii", "-", "--checksum", HELLO, "-o", "new", "{url}/a"],
        out="^.*<= Recv data, 5 bytes .*hello.*$", files={"new": "hello"}),
    Row("deviations of a file with its digest", ["-s", "--forensic", "--checksum", HELLO, "-o", "new", "{url}/chunks"],
        files={"new": "hello"}, err=r"^Deviation: bareLineFeed: body, byte 1: [^\n]*RFC 9112 §2.2\)\n$"),
    Row("the digest of a part",
        ["-sS", "-r", "0-3", "--checksum", "sha256:" + hashlib.sha256(b"0123").hexdigest(), "-o", "new", "{url}/range"],
        ["Range: bytes=0-3"], before={"new": "old"}, files={"new": "0123"}, part=""),
    Row("another digest of a part", ["-sS", "-r", "0-3", "--checksum", SHA256, "-o", "new", "{url}/range"], code=110,
        before={"new": "old"}, files={"new": "old"}, part="0123"),
    Row("digests of several URLs", ["-sS", "--checksum", SHA256, "-o", "a", "-o", "b", "{url}/etag", "{url}/b"],
        code=110, before={"a": "old", "b": "old"}, files={"a": CONTENT.decode(), "b": "old"}, part="hello"),
    *[Row(f"a file is not coded {name}", ["-sS", "--compressed", *more, "-o", "new", "{url}/etag"],
          ["Accept-Encoding: identity"], unsent=["gzip"], files={"new": CONTENT.decode()})
      for name, more in DOWNLOADS],
    *[Row(f"a coded file is refused {name}", ["-sS", "--compressed", *more, "-o", "new", "{url}/gzip"], code=61,
          before={"new": "old"}, files={"new": "old"}, err="Content-Encoding", part="")
      for name, more in DOWNLOADS],
    Row("a line of Accept-Encoding stays", ["-sS", "--compressed", "-H", "Accept-Encoding: br", "--checksum", SHA256,
        "-o", "new", "{url}/etag"], ["Accept-Encoding: br"], unsent=["identity"], files={"new": CONTENT.decode()}),
    Row("a digest of a decoded body", ["-sS", "--compressed", "--checksum", SHA256, "{url}/gzip"],
        ["Accept-Encoding: deflate, gzip"], out=CONTENT.decode()),
    Row("as curl, a file is not coded", ["--as-curl", "--compressed", "--resume", "-o", "new", "{url}/"],
        out="^(?!.*gzip).*identity"),
]


def open_file_faults(fetch, origin):
    """Writes a body with a digest to a name of standard output, which is a file."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "new")
        with file.open("wb") as output:
            done = subprocess.run(
                [fetch, "-sS", "--checksum", SHA256, "-o", "/dev/fd/1", "-w", "%{http_code}", f"{origin.url}/etag"],
                cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, timeout=30)
        if done.returncode != 0 or len(file.read_bytes()) < len(CONTENT):
            yield f"ended with {done.returncode} and left {file.read_bytes()!r}: {done.stderr.decode()}"
