// Uploads measurements that are generated while they are sent, and shows the progress. Memory use is constant:
// the client asks for the next piece only when the network has accepted most of the earlier ones.
//
//     swift run --package-path Examples StreamingUpload                          to a server in this process
//     swift run --package-path Examples StreamingUpload http://host/path 500     500 MB to another server
import Glibc
import HTTPClient
import HTTPTestServer

/// Lines of 16 bytes, each created when the client asks for it.
struct Measurements: AsyncSequence {
    static let lineLength = 16
    let count: Int

    func makeAsyncIterator() -> Iterator { Iterator(count: count) }

    struct Iterator: AsyncIteratorProtocol {
        let count: Int
        var made = 0

        /// Returns up to 1000 lines; nil at the end.
        mutating func next() async -> [UInt8]? {
            guard made < count else { return nil }
            var piece: [UInt8] = []
            for number in made..<Swift.min(made + 1000, count) {
                let text = "\(number),\(number * 7919 % 1000)"
                piece += text.utf8
                piece += repeatElement(
                    UInt8(ascii: " "),
                    count: Measurements.lineLength - 1 - text.utf8.count
                )
                piece.append(UInt8(ascii: "\n"))
            }
            made += piece.count / Measurements.lineLength
            return piece
        }
    }
}

let arguments = CommandLine.arguments.dropFirst()
let megabytes = arguments.dropFirst().first.flatMap { Int($0) } ?? 8
let count = megabytes * 1_000_000 / Measurements.lineLength
let server = try await HTTPTestServer.start { request in
    .text(
        "\(request.body.count) bytes received, \(request.trailers["X-Lines"] ?? "no") lines announced"
    )
}

// The length is known, so the progress has a total. Without `length` the client sends the same body in chunks.
let body = HTTPBody.stream(length: count * Measurements.lineLength) { Measurements(count: count) }
let request = HTTPRequest(arguments.first ?? server.url, method: .put, body: body)
let call = HTTPClient.shared.start(request).onProgress { progress in
    guard progress.direction == .upload else { return }
    print("\(progress.completed) bytes sent, \(Int(progress.percentage ?? 0)) %")
    fflush(nil)
}
do {
    let response = try await call.value.requireSuccess()
    print("\(response.status.code): \(response.text)")
} catch {
    print("failed: \(error)")
    exit(1)
}

// A trailer has a value that is known only after the body, such as a count or a digest.
let counted = HTTPBody.stream { Measurements(count: count) }.trailers(["X-Lines"]) {
    ["X-Lines": "\(count)"]
}
let second = HTTPRequest(arguments.first ?? server.url, method: .put, body: counted)
print(try await second.send().text)
