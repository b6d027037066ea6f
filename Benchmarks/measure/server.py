"""The servers of all measurements: nginx on loopback, and a program that discards uploads and sends chunks."""
import ctypes
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from .peers import FLOOR

# The number of records in the body of a case with records. A record has 100 bytes.
RECORDS = 1_000_000
RECORD_MODES = {
    "events": "data: %092d\n\n",
    "lines": "%099d\n",
    "json": '{"id":1%08d,"name":"item","price":12.50,"tags":["one","two"],"note":"twenty-five bytes long.."}\n',
}
# The number of ports in mode origins.
ORIGINS = 10_000
# The bytes of the body that `floor sink` sends in chunks.
CHUNKED = 1 << 20
# The bytes of the files that nginx sends, by name.
FILES = {"1k": 1 << 10, "16k": 16 << 10, "1m": 1 << 20, "big": 1 << 30, "slow": 64 << 20}

NGINX = """
daemon off; master_process off; pid {dir}/pid; error_log {dir}/error.log warn;
worker_rlimit_nofile 20000;
events {{ worker_connections {slots}; }}
http {{
    access_log off; keepalive_requests 100000000; keepalive_timeout 600; sendfile on;
    open_file_cache max=100;
    client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f;
    uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        listen 127.0.0.1:{tls_port} ssl backlog=4096;
        {origins}
        ssl_certificate {dir}/cert.pem; ssl_certificate_key {dir}/key.pem;
        ssl_protocols TLSv1.3; ssl_session_tickets on;
        location = / {{ default_type text/plain; return 200 "hello, world\\n"; }}
        location = /json {{ default_type application/json; return 200 '{json}'; }}
        location ~ ^/(1k|16k|1m|big)$ {{ alias {dir}/$1; }}
        # As a server that gives each connection its share of a line.
        location = /slow {{ limit_rate 10m; alias {dir}/slow; }}
        location = /events {{ default_type text/event-stream; alias {dir}/events; }}
        location = /lines {{ default_type text/plain; alias {dir}/lines; }}
        location = /json-lines {{ default_type application/x-ndjson; alias {dir}/json; }}
    }}
}}
"""


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


class Failure(Exception):
    """A measurement cannot be made; the text says why, in one line."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def pinned(cpus, is_server=False):
    """Returns what a child process does first: it stays on these CPUs, and a server ends with this process."""
    def begin():
        if cpus:
            os.sched_setaffinity(0, cpus)
        if is_server:
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    return begin if cpus or is_server else None


class Server:
    """An nginx with a separate folder and free ports, on the given CPUs; in mode origins, with 10 000 more ports."""

    def __init__(self, cpus=None, mode=None):
        program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
        if not program:
            raise Failure("nginx is not installed: run `make setup`")
        # Another program may have taken a port in the meantime.
        for last in (False, False, True):
            self.dir = tempfile.mkdtemp(prefix="http-bench-")
            self.port, self.tls_port = free_port(), free_port()
            # Below the ports that the kernel gives to connections.
            self.origins = random.randrange(12_000, 22_000) if mode == "origins" else None
            # One plain and one over TLS.
            self.sink_ports = (free_port(), free_port())
            self.ca = os.path.join(self.dir, "cert.pem")
            self.process, self.sinks = None, []
            try:
                return self.start(program, cpus, mode)
            except Failure:
                self.stop()
                if last:
                    raise
            except BaseException:
                self.stop()
                raise

    def start(self, program, cpus, mode):
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
             "-keyout", os.path.join(self.dir, "key.pem"), "-out", self.ca],
            stderr=subprocess.PIPE, text=True)
        if made.returncode != 0:
            raise Failure(f"openssl made no certificate: {(made.stderr.strip().splitlines() or ['no message'])[-1]}")
        for name, size in FILES.items():
            with open(os.path.join(self.dir, name), "wb") as file:
                file.truncate(size)
        if mode in RECORD_MODES:
            with open(os.path.join(self.dir, mode), "w") as file:
                file.writelines(RECORD_MODES[mode] % number for number in range(RECORDS))
        row = '{"id":%04d,"name":"item","price":12.50,"tags":["a","b"],"ok":true},'
        json = '{"items":[' + "".join(row % i for i in range(14))[:-1] + "]}"
        json += " " * (1024 - len(json))
        config = os.path.join(self.dir, "nginx.conf")
        with open(config, "w") as file:
            first = self.origins
            # A listening port takes a slot too.
            file.write(NGINX.format(
                dir=self.dir, port=self.port, tls_port=self.tls_port, json=json, slots=12_000 if mode in ("idle", "origins") else 9000,
                origins=f"listen 127.0.0.1:{first}-{first + ORIGINS - 1} backlog=64;" if first else ""))
        # nginx reads the bodies of requests in small pieces, or into files.
        for port, files in zip(self.sink_ports, ((), (self.ca, os.path.join(self.dir, "key.pem")))):
            if os.path.exists(FLOOR):
                self.sinks.append(subprocess.Popen(
                    [FLOOR, "sink", str(port), *files], preexec_fn=pinned(cpus, True), stderr=subprocess.DEVNULL))
        log = os.path.join(self.dir, "error.log")
        self.process = subprocess.Popen(
            [program, "-p", self.dir, "-c", config, "-e", log], preexec_fn=pinned(cpus, True), stderr=subprocess.DEVNULL)
        for name, port in (("nginx", self.port), *(("floor sink", port) for port in self.sink_ports[:len(self.sinks)])):
            self.wait(name, port)

    def wait(self, name, port):
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            self.check()
            time.sleep(0.01)
        raise Failure(f"{name} does not answer")

    def check(self):
        """Throws if a server has ended."""
        for sink in self.sinks:
            if sink.poll() is not None:
                raise Failure(f"floor sink ended with {sink.returncode}")
        if self.process.poll() is not None:
            # One that was killed at once has no log.
            log = os.path.join(self.dir, "error.log")
            lines = open(log, encoding="utf-8").read().strip().splitlines() if os.path.exists(log) else []
            raise Failure(f"nginx ended with {self.process.returncode}: {lines[-1] if lines else 'no message'}")

    def stop_answering(self):
        """Lets connections and requests wait in the kernel until `go_on`."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def url(self, path, tls):
        if path in ("/up", "/chunks"):
            return f"{'https' if tls else 'http'}://127.0.0.1:{self.sink_ports[tls]}{path}"
        if self.origins:
            return f"http://127.0.0.1:{self.origins}/"
        return f"https://127.0.0.1:{self.tls_port}{path}" if tls else f"http://127.0.0.1:{self.port}{path}"

    def stop(self):
        for process in (self.process, *self.sinks):
            if process:
                # They keep nothing. nginx that gets SIGTERM just before it waits for events does not end before the next.
                process.kill()
                process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)
