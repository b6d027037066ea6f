"""The routes of the interoperability suite as a WSGI application.

    wsgi.py waitress FOLDER PORT
    wsgi.py cheroot FOLDER PORT [CERTIFICATE KEY]

gunicorn imports `application`; it finds the folder in INTEROP_FOLDER.
"""

import os
import sys
from wsgiref.util import FileWrapper


def application(environ, start_response):
    path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
    if path == "/echo" and method == "POST":
        length = environ.get("CONTENT_LENGTH")
        # Servers end the input after the body, chunked or not.
        body = environ["wsgi.input"].read(int(length)) if length else environ["wsgi.input"].read()
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]
    if path == "/stream":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return (b"piece %d%s\n" % (number, b"." * number) for number in range(100))
    if path == "/empty":
        start_response("204 No Content", [])
        return []
    if path == "/redirect":
        start_response("302 Found", [("Location", "/files/small.txt"), ("Content-Length", "0")])
        return []
    if path == "/refuse":
        start_response("413 Content Too Large", [("Content-Length", "10")])
        return [b"too large\n"]
    name = os.path.basename(path)
    if path == "/files/" + name and name in ("file.bin", "small.txt"):
        file = os.path.join(os.environ["INTEROP_FOLDER"], "files", name)
        start_response("200 OK", [("Content-Length", str(os.path.getsize(file)))])
        return [] if method == "HEAD" else FileWrapper(open(file, "rb"))
    start_response("404 Not Found", [("Content-Length", "10")])
    return [] if method == "HEAD" else [b"not found\n"]


def main():
    kind, os.environ["INTEROP_FOLDER"], port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if kind == "waitress":
        import waitress

        waitress.serve(application, host="127.0.0.1", port=port)
    else:
        from cheroot.ssl.builtin import BuiltinSSLAdapter
        from cheroot.wsgi import Server

        server = Server(("127.0.0.1", port), application)
        if len(sys.argv) > 4:
            server.ssl_adapter = BuiltinSSLAdapter(sys.argv[4], sys.argv[5])
        server.start()


if __name__ == "__main__":
    main()
