"""The servers of the interoperability suite: how each is started, and what it cannot do by design.

In commands and configuration files `{port}` and `{tls}` are the ports without and with TLS, `{root}` is
the folder that is served, `{folder}` one for what the server writes, `{backend}` the port of the server
behind a proxy, `{here}` the folder `Servers`, and `{certificate}`, `{key}` and `{both}` are PEM files.
"""

import dataclasses

# All scenarios, in the order of the table of results.
SCENARIOS = [
    "static", "head", "range", "conditional", "download", "cgi", "echo-fixed", "echo-chunked", "echo-file",
    "expect", "stream", "dropped", "no-content", "redirect", "refusal", "refusal-expect", "missing",
    "keep-alive", "closing", "parallel", "blocking", "tls",
]


@dataclasses.dataclass
class Server:
    name: str
    # The required program: a name on the PATH, or a path.
    program: str
    command: list
    # A second process for TLS; none if the configuration has a `{tls}` port and one process serves both.
    tls_command: list = None
    # A template in `Servers`, which is filled in and written to the path {configuration}.
    configuration: str = None
    environment: dict = dataclasses.field(default_factory=dict)
    # The server that this one forwards to.
    behind: str = None
    # The scenarios that are not applicable, with the reason.
    lacks: dict = dataclasses.field(default_factory=dict)
    # See Sources/Interop/Plan.swift.
    targets: dict = dataclasses.field(default_factory=dict)
    keeps_alive: bool = True
    closes_after: list = dataclasses.field(default_factory=list)
    continues: bool = False
    # Whether the cell `tls` requests only files.
    tls_files_only: bool = False
    refusals: list = dataclasses.field(default_factory=lambda: [413])
    refused_bytes: int = 8 << 20


NO_RANGES = {"range": "its files have no ranges", "conditional": "its files have no validators"}
NO_CGI = {"cgi": "it runs no CGI programs"}
NO_TLS = {"tls": "it has no TLS"}
NO_EARLY = {"refusal-expect": "it reads or requests the body before it responds"}
NO_CHUNKS = {"echo-chunked": "its programs receive only bodies with a length"}


def cgi(*routes):
    """The targets of routes that the CGI program serves."""
    return {name: "/cgi-bin/app?" + name for name in routes}


PYTHON = "{python}"
# The build of Tests/Interop/SwiftServers.
SWIFT = "Tests/Interop/SwiftServers/.build/debug/"

SERVERS = [
    Server(
        "nginx", "nginx", ["nginx", "-p", "{folder}", "-e", "stderr", "-c", "{configuration}"],
        configuration="nginx.conf", behind="node", lacks=NO_CGI, continues=True,
    ),
    Server(
        "apache2", "apache2", ["apache2", "-DFOREGROUND", "-f", "{configuration}"],
        configuration="apache.conf", continues=True,
        targets=cgi("echo", "stream", "empty"),
    ),
    Server(
        "lighttpd", "lighttpd", ["lighttpd", "-D", "-f", "{configuration}"],
        configuration="lighttpd.conf", continues=True,
        targets=cgi("echo", "stream", "empty", "redirect") | {"refuse": "/cgi-bin/app?echo"},
    ),
    Server(
        "busybox", "busybox", ["busybox", "httpd", "-f", "-p", "127.0.0.1:{port}", "-h", "{root}"],
        targets=cgi("echo", "stream", "empty", "redirect") | {"refuse": "/files/small.txt"},
        lacks=NO_TLS | NO_CHUNKS | NO_EARLY | {"conditional": "it ignores conditions"},
        keeps_alive=False, refusals=[501],
    ),
    Server(
        "mini-httpd", "mini_httpd",
        ["mini_httpd", "-D", "-h", "127.0.0.1", "-p", "{port}", "-d", "{root}", "-c", "cgi-bin/*",
         "-u", "{user}", "-i", "{folder}/pid"],
        tls_command=["mini_httpd", "-D", "-h", "127.0.0.1", "-p", "{port}", "-d", "{root}", "-c", "cgi-bin/*",
                     "-u", "{user}", "-i", "{folder}/pid", "-S", "-E", "{both}"],
        targets=cgi("stream", "empty", "redirect") | {"refuse": "/files/small.txt"},
        lacks=NO_EARLY | {"range": "its files have no ranges"} | {
            name: "after it has passed on a body, it closes the connection before the program responds"
            for name in ("echo-fixed", "echo-chunked", "echo-file", "expect")
        },
        # Over TLS it closes without close_notify after a CGI response.
        keeps_alive=False, refusals=[501], tls_files_only=True,
    ),
    Server(
        "webfs", "webfsd", ["webfsd", "-F", "-i", "127.0.0.1", "-p", "{port}", "-r", "{root}", "-x", "/cgi-bin"],
        tls_command=["webfsd", "-F", "-i", "127.0.0.1", "-p", "{port}", "-r", "{root}", "-x", "/cgi-bin",
                     "-S", "-C", "{both}", "-K", "{both}"],
        targets=cgi("stream", "empty", "redirect") | {"refuse": "/files/small.txt"},
        lacks={name: "it answers only GET and HEAD" for name in
               ("echo-fixed", "echo-chunked", "echo-file", "expect", "refusal-expect")},
        # It corks its response and closes; if any of the body is unread, the kernel drops the response.
        refused_bytes=1000, refusals=[501], closes_after=["stream", "no-content", "redirect"],
    ),
    Server(
        "haproxy", "haproxy", ["haproxy", "-db", "-f", "{configuration}"],
        configuration="haproxy.cfg", behind="go", lacks=NO_CGI, continues=True,
    ),
    Server(
        "php", "php",
        ["php", "-d", "enable_post_data_reading=0", "-S", "127.0.0.1:{port}", "-t", "{root}",
         "{here}/router.php"],
        environment={"PHP_CLI_SERVER_WORKERS": "4"}, keeps_alive=False,
        lacks=NO_TLS | NO_CGI | NO_EARLY | NO_RANGES,
    ),
    Server(
        "http.server", PYTHON, [PYTHON, "{here}/frameworks.py", "http.server", "{root}", "{port}"],
        tls_command=[PYTHON, "{here}/frameworks.py", "http.server", "{root}", "{port}", "{certificate}", "{key}"],
        targets=cgi("echo", "stream") | {"redirect": "/files", "refuse": "/files/small.txt"},
        lacks=NO_CHUNKS | NO_EARLY | {
            "range": "its files have no ranges",
            "no-content": "it ignores the status of CGI programs",
        },
        # CGI programs write to the socket directly, without TLS.
        keeps_alive=False, refusals=[501], tls_files_only=True,
    ),
    Server(
        "gunicorn", PYTHON,
        [PYTHON, "-m", "gunicorn", "-b", "127.0.0.1:{port}", "-k", "gthread", "--threads", "8",
         "--keep-alive", "30", "--worker-tmp-dir", "{folder}", "wsgi:application"],
        tls_command=[PYTHON, "-m", "gunicorn", "-b", "127.0.0.1:{port}", "-k", "gthread", "--threads", "8",
                     "--keep-alive", "30", "--worker-tmp-dir", "{folder}", "--certfile", "{certificate}",
                     "--keyfile", "{key}", "wsgi:application"],
        lacks=NO_CGI | NO_RANGES | NO_EARLY, continues=True,
    ),
    Server(
        "uvicorn", PYTHON,
        [PYTHON, "-m", "uvicorn", "--port", "{port}", "--timeout-keep-alive", "30", "--log-level", "warning",
         "asgi:application"],
        tls_command=[PYTHON, "-m", "uvicorn", "--port", "{port}", "--timeout-keep-alive", "30", "--log-level",
                     "warning", "--ssl-certfile", "{certificate}", "--ssl-keyfile", "{key}", "asgi:application"],
        lacks=NO_CGI | NO_RANGES, continues=True,
    ),
    Server(
        "hypercorn", PYTHON, [PYTHON, "-m", "hypercorn", "--bind", "127.0.0.1:{port}", "asgi:application"],
        tls_command=[PYTHON, "-m", "hypercorn", "--bind", "127.0.0.1:{port}", "--certfile", "{certificate}",
                     "--keyfile", "{key}", "asgi:application"],
        lacks=NO_CGI | NO_RANGES | NO_EARLY, continues=True,
    ),
    Server(
        "waitress", PYTHON, [PYTHON, "{here}/wsgi.py", "waitress", "{root}", "{port}"],
        lacks=NO_CGI | NO_RANGES | NO_TLS | NO_EARLY, continues=True, closes_after=["stream", "no-content"],
    ),
    Server(
        "cheroot", PYTHON, [PYTHON, "{here}/wsgi.py", "cheroot", "{root}", "{port}"],
        tls_command=[PYTHON, "{here}/wsgi.py", "cheroot", "{root}", "{port}", "{certificate}", "{key}"],
        lacks=NO_CGI | NO_RANGES | NO_EARLY, continues=True,
    ),
    Server(
        "tornado", PYTHON, [PYTHON, "{here}/frameworks.py", "tornado", "{root}", "{port}"],
        tls_command=[PYTHON, "{here}/frameworks.py", "tornado", "{root}", "{port}", "{certificate}", "{key}"],
        lacks=NO_CGI | NO_EARLY, continues=True,
    ),
    Server(
        "aiohttp", PYTHON, [PYTHON, "{here}/frameworks.py", "aiohttp", "{root}", "{port}"],
        tls_command=[PYTHON, "{here}/frameworks.py", "aiohttp", "{root}", "{port}", "{certificate}", "{key}"],
        lacks=NO_CGI | NO_EARLY, continues=True,
    ),
    Server(
        "node", "node", ["node", "{here}/server.mjs", "{root}", "{port}"],
        tls_command=["node", "{here}/server.mjs", "{root}", "{port}", "{certificate}", "{key}"],
        lacks=NO_CGI | NO_RANGES, continues=True,
    ),
    Server(
        "go", "go", ["{scratch}/go/server", "{root}", "{port}"],
        tls_command=["{scratch}/go/server", "{root}", "{port}", "{certificate}", "{key}"],
        lacks=NO_CGI, continues=True,
    ),
    Server(
        "hummingbird", SWIFT + "HummingbirdServer", [SWIFT + "HummingbirdServer", "{root}", "{port}"],
        tls_command=[SWIFT + "HummingbirdServer", "{root}", "{port}", "{certificate}", "{key}"],
        lacks=NO_CGI | {"refusal-expect": "it never sends 100"},
    ),
    Server(
        "flyingfox", SWIFT + "FlyingFoxServer", [SWIFT + "FlyingFoxServer", "{root}", "{port}"],
        lacks=NO_CGI | NO_TLS | {"refusal-expect": "it never sends 100"},
    ),
]
