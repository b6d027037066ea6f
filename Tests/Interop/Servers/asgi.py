"""The routes of the interoperability suite as an ASGI application, for uvicorn and hypercorn.

It finds the folder in INTEROP_FOLDER.
"""

import os


async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return

    async def answer(status, body=b"", headers=()):
        # A response with status 204 must not have a length.
        headers = [*headers, *([] if status == 204 else [(b"content-length", b"%d" % len(body))])]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    path = scope["path"]
    name = os.path.basename(path)
    if path == "/echo" and scope["method"] == "POST":
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        await answer(200, body)
    elif path == "/stream":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(100):
            piece = b"piece %d%s\n" % (number, b"." * number)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body"})
    elif path == "/empty":
        await answer(204)
    elif path == "/redirect":
        await answer(302, headers=[(b"location", b"/files/small.txt")])
    elif path == "/refuse":
        await answer(413, b"too large\n", [(b"connection", b"close")])
    elif path == "/files/" + name and name in ("file.bin", "small.txt"):
        with open(os.path.join(os.environ["INTEROP_FOLDER"], "files", name), "rb") as file:
            await answer(200, file.read())
    else:
        await answer(404, b"not found\n")
