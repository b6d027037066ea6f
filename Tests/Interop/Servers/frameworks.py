"""The routes of the interoperability suite with tornado, aiohttp and Python's own http.server.

    frameworks.py KIND FOLDER PORT [CERTIFICATE KEY]

http.server serves files, and CGI from the folder `cgi-bin`.
"""

import ssl
import sys


def context(files):
    if not files:
        return None
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(*files)
    return made


def run_tornado(folder, port, files):
    import asyncio
    import tornado.web

    class Echo(tornado.web.RequestHandler):
        def post(self):
            self.write(self.request.body)

    class Stream(tornado.web.RequestHandler):
        async def get(self):
            for number in range(100):
                self.write(b"piece %d%s\n" % (number, b"." * number))
                await self.flush()

    class Empty(tornado.web.RequestHandler):
        def get(self):
            self.set_status(204)

    class Redirect(tornado.web.RequestHandler):
        def get(self):
            self.redirect("/files/small.txt")

    @tornado.web.stream_request_body
    class Refuse(tornado.web.RequestHandler):
        def prepare(self):
            self.set_status(413)
            self.finish("too large\n")

        def data_received(self, chunk):
            pass

    async def serve():
        application = tornado.web.Application([
            ("/echo", Echo), ("/stream", Stream), ("/empty", Empty), ("/redirect", Redirect),
            ("/refuse", Refuse),
            ("/files/(.*)", tornado.web.StaticFileHandler, {"path": folder + "/files"}),
        ])
        application.listen(port, "127.0.0.1", ssl_options=context(files))
        await asyncio.Event().wait()

    asyncio.run(serve())


def run_aiohttp(folder, port, files):
    from aiohttp import web

    async def echo(request):
        return web.Response(body=await request.read())

    async def stream(request):
        response = web.StreamResponse()
        await response.prepare(request)
        for number in range(100):
            await response.write(b"piece %d%s\n" % (number, b"." * number))
        return response

    async def empty(request):
        return web.Response(status=204)

    async def redirect(request):
        raise web.HTTPFound("/files/small.txt")

    async def refuse(request):
        raise web.HTTPRequestEntityTooLarge(max_size=1024, actual_size=request.content_length or 0)

    application = web.Application(client_max_size=16 << 20)
    application.add_routes([
        web.post("/echo", echo), web.get("/stream", stream), web.get("/empty", empty),
        web.get("/redirect", redirect), web.post("/refuse", refuse),
        web.static("/files", folder + "/files"),
    ])
    web.run_app(application, host="127.0.0.1", port=port, ssl_context=context(files), print=None)


def run_http_server(folder, port, files):
    import functools
    import http.server

    class Handler(http.server.CGIHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    handler = functools.partial(Handler, directory=folder)
    import os

    # CGI programs are found only below the working directory.
    os.chdir(folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        if files:
            server.socket = context(files).wrap_socket(server.socket, server_side=True)
        server.serve_forever()


RUNS = {"tornado": run_tornado, "aiohttp": run_aiohttp, "http.server": run_http_server}
RUNS[sys.argv[1]](sys.argv[2], int(sys.argv[3]), sys.argv[4:])
