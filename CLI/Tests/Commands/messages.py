"""Runs `fetch` with a secret in every place of a request, and searches its messages and files for it.

`--verbose` and `--trace` are not checked: they show the request as it is sent.
"""
import os
import pathlib
import subprocess
import tempfile

SECRET = "s3cr3t"
# The arguments that contain secrets. The last one has the user of the URL, with "@", and what follows the path.
SECRETS = {
    "URL and fields": [
        "-H", "Authorization: Bearer s3cr3t", "-H", "X-Api-Key: s3cr3t", "-b", "sid=s3cr3t",
        "-e", "http://me:s3cr3t@a.test/?token=s3cr3t",
        "me:s3cr3t@?access_token=s3cr3t&x=1&api%5Fkey=s3cr3t&X-Amz-Signature=s3cr3t#id_token=s3cr3t"],
    "user and token": ["-u", "me:s3cr3t", "--oauth2-bearer", "s3cr3t", "s3cr3t@"],
    "proxy that refuses": ["-x", "http://me:s3cr3t@127.0.0.1:9", ""],
    "user of a proxy that refuses": ["-x", "127.0.0.1:9", "-U", "me:s3cr3t", ""],
}
# The arguments of each output, and the path that it requests.
OUTPUTS = {
    "body": (["-sS"], "/"),
    "progress": (["--progress-meter", "-o", "body"], "/"),
    "refused status": (["-sSf"], "/missing"),
    "body that is cut short": (["-sS", "-o", "body"], "/cut"),
    "journal": (["-sS", "--resume", "--retry", "0", "-o", "body"], "/cut"),
    "journal of segments": (["-sS", "--resume", "--retry", "0", "--segments", "2", "-o", "body"], "/ranges-cut"),
    "endless redirects": (["-sSL", "--max-redirs", "2"], "/loop"),
    "invalid redirect": (["-sSL"], "/broken"),
    "wrong checksum": (["-sS", "--checksum", "sha256:" + "0" * 64, "-o", "body"], "/"),
    "limit of the size": (["-sS", "--max-filesize", "1"], "/etag"),
    "file that cannot be written": (["-sS", "-o", "missing/body"], "/"),
    "retries": (["-sS", "--retry", "1", "--retry-delay", "0.01", "--fail"], "/busy"),
    "curl command": (["--as-curl"], "/"),
    "timeline": (["-s", "--timeline"], "/"),
    "JSON timeline": (["-s", "--timeline-json", "log"], "/old"),
    "archive": (["-sL", "--har", "log"], "/old"),
    "written message": (["-s", "-w", "%{errormsg} %{redirect_url}"], "/broken"),
}
# What must not stand in a message about an argument.
BREAKS = ["\r\n", "\n\r\x0b\x0c\x1b[2J\x7f\x85\u061c\u2028\u2029\u202e\u2066\u200f"]
# The arguments whose value an error or a warning names.
TEXTS = {
    "host": ["http://127.0.0.1{}forged/"],
    "path": ["http://127.0.0.1:9/{}forged"],
    "scheme": ["x{}forged://127.0.0.1/"],
    "port": ["http://127.0.0.1:9{}forged/"],
    "output": ["-o", "missing{}forged/a", "{url}/"],
    "method": ["-X", "A{}forged", "{url}/"],
    "field": ["-H", "A{}forged: b", "{url}/"],
    "proxy": ["-x", "http://a{}forged:1", "{url}/"],
    "range": ["-r", "1{}forged", "{url}/"],
    "resolved host": ["--resolve", "a{}forged:1:x", "{url}/"],
    "file of certificates": ["--cacert", "a{}forged", "https://127.0.0.1:9/"],
    "certificate": ["-E", "a{}forged", "https://127.0.0.1:9/"],
    "pins": ["--pinnedpubkey", "a{}forged", "https://127.0.0.1:9/"],
    "checksum": ["--checksum", "sha256:a{}forged", "-o", "a", "{url}/"],
    "upload": ["-T", "missing{}forged", "{url}/"],
    "data": ["-d", "@missing{}forged", "{url}/"],
    "option": ["--a{}forged", "{url}/"],
    "file of cookies": ["-b", "missing{}forged/a", "-c", "missing{}forged/a", "{url}/"],
    "time condition": ["-z", "a{}forged", "{url}/"],
    "written variable": ["-w", "%{a{}forged}", "{url}/"],
}


def run(fetch, arguments, folder):
    """Returns what `fetch` writes to standard output and to standard error."""
    done = subprocess.run(
        [fetch, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=30,
        env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "HOME": folder, "LC_ALL": "C"}, start_new_session=True,
    )
    return done.stdout.decode(), done.stderr.decode()


def secret_faults(fetch, origin, output):
    """Makes one output for each of the secrets, and yields those that contain it."""
    options, path = OUTPUTS[output]
    for name, (*more, place) in SECRETS.items():
        user, _, rest = place.rpartition("@")
        url = origin.url.replace("://", "://" + user + "@" if user else "://") + path + rest
        with tempfile.TemporaryDirectory() as folder:
            out, err = run(fetch, [*options, *more, url], folder)
            texts = {"standard output": out, "standard error": err}
            for file in pathlib.Path(folder).iterdir():
                texts[file.name] = file.read_bytes().decode("latin-1")
        for where, text in texts.items():
            if SECRET in text:
                yield f"{name}: {where} has {text!r}"
        if not any(texts.values()):
            yield f"{name}: there is no output"


def line_faults(fetch, origin):
    """Makes a message about each argument with each of the texts, and yields those that contain it unescaped."""
    for name, words in TEXTS.items():
        for text in BREAKS:
            arguments = [word.replace("{url}", origin.url).replace("{}", text) for word in words]
            with tempfile.TemporaryDirectory() as folder:
                out, err = run(fetch, ["--no-progress-meter", *arguments], folder)
            if not err:
                yield f"{name} with {text!r}: there is no message"
            # A message has lines of its own; none of them begins with the text of the argument.
            if any(line.startswith("forged") for line in err.splitlines()) or any(
                    character in out + err for character in set(text) - set("\n[2J")):
                yield f"{name} with {text!r}: wrote {err!r}"
