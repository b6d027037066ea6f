// Serves the routes of the interoperability suite with FlyingFox:
//
//   FlyingFoxServer FOLDER PORT

internal import FlyingFox
internal import FlyingSocks
internal import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 3, let port = UInt16(arguments[2]) else {
    preconditionFailure("usage: FlyingFoxServer FOLDER PORT")
}

let server = HTTPServer(address: try sockaddr_in.inet(ip4: "127.0.0.1", port: port))
let files = URL(fileURLWithPath: arguments[1] + "/files")
for (name, route) in [
    ("file.bin", "GET,HEAD /files/file.bin" as HTTPRoute),
    ("small.txt", "GET,HEAD /files/small.txt"),
] {
    let handler = FileHTTPHandler(
        path: files.appendingPathComponent(name),
        contentType: "application/octet-stream"
    )
    await server.appendRoute(route, to: handler)
}
await server.appendRoute("POST /echo") { request in
    try await HTTPResponse(statusCode: .ok, body: request.bodyData)
}
await server.appendRoute("GET /stream") { _ in
    HTTPResponse(statusCode: .ok, body: HTTPBodySequence(from: BodyChunks()))
}
await server.appendRoute("GET /empty") { _ in
    HTTPResponse(statusCode: .noContent)
}
await server.appendRoute("GET /redirect") { _ in
    HTTPResponse(statusCode: .found, headers: HTTPHeaders([.location: "/files/small.txt"]))
}
await server.appendRoute("POST /refuse") { request in
    // FlyingFox 0.27.1 stops answering when a client closes and the handler has not read the body.
    _ = try await request.bodyData
    return HTTPResponse(
        statusCode: .payloadTooLarge,
        headers: HTTPHeaders([.connection: "close"]),
        body: Data("too large\n".utf8)
    )
}
try await server.run()
