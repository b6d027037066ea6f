// Serves the routes of the interoperability suite with Hummingbird:
//
//   HummingbirdServer FOLDER PORT [CERTIFICATE KEY]

internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import NIOCore
internal import NIOSSL

let arguments = CommandLine.arguments
guard arguments.count == 3 || arguments.count == 5, let port = Int(arguments[2]) else {
    preconditionFailure("usage: HummingbirdServer FOLDER PORT [CERTIFICATE KEY]")
}

let router = Router()
router.addMiddleware {
    FileMiddleware(arguments[1])
}
router.post("echo") { request, _ in
    // Collects the body first: otherwise the client would have to read and send at the same time.
    let body = try await request.body.collect(upTo: 16 << 20)
    return Response(status: .ok, body: ResponseBody(byteBuffer: body))
}
router.get("stream") { _, _ in
    Response(
        status: .ok,
        body: ResponseBody { writer in
            for number in 0..<100 {
                let dots = String(repeating: ".", count: number)
                try await writer.write(ByteBuffer(string: "piece \(number)\(dots)\n"))
            }
            try await writer.finish(nil)
        }
    )
}
router.get("empty") { _, _ in
    Response(status: .noContent)
}
router.get("redirect") { _, _ in
    Response(status: .found, headers: [.location: "/files/small.txt"])
}
router.post("refuse") { _, _ in
    Response(
        status: .contentTooLarge,
        headers: [.connection: "close"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: "too large\n"))
    )
}

var server = HTTPServerBuilder.http1()
if arguments.count == 5 {
    let chain = try NIOSSLCertificate.fromPEMFile(arguments[3])
    server = try .tls(
        .http1(),
        tlsConfiguration: .makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(NIOSSLPrivateKey(file: arguments[4], format: .pem))
        )
    )
}
let application = Application(
    router: router,
    server: server,
    configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
)
try await application.runService()
