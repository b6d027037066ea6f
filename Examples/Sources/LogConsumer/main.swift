// Counts the entries of a log in NDJSON while it is downloaded. Memory use is constant: the client reads from
// the network only when the loop asks for the next entry. A malformed line is reported and skipped.
//
//     swift run --package-path Examples LogConsumer                         a server in this process
//     swift run --package-path Examples LogConsumer http://host/log.ndjson  another server
import Glibc
import HTTPClient
import HTTPTestServer

struct Entry: Decodable, Sendable {
    var level: String
    var milliseconds: Int
}

/// A server that creates 20 000 entries while it sends them, one of which is malformed.
let server = try await HTTPTestServer.start { _ in
    .stream { writer in
        for number in 0..<20_000 {
            let level = number % 100 == 99 ? "error" : "info"
            let end = number == 5000 ? "" : "}"
            try await writer.write(
                "{\"level\": \"\(level)\", \"milliseconds\": \(number % 7)\(end)\n"
            )
        }
    }
    .header(.contentType, "application/x-ndjson")
}

do {
    let response = try await HTTPClient.shared
        .stream(CommandLine.arguments.dropFirst().first ?? server.url)
        .requireSuccess()
    var entries = response.jsonRecords(Entry.self, maxLength: 64 << 10).makeAsyncIterator()
    var (count, errors, slowest) = (0, 0, 0)
    while true {
        do throws(HTTPError) {
            guard let entry = try await entries.next() else { break }
            count += 1
            if entry.level == "error" { errors += 1 }
            slowest = max(slowest, entry.milliseconds)
        } catch {
            // Only the value is malformed; any other error ends the stream.
            guard case .decodingFailed(let reason) = error.kind else { throw error }
            print("skipped \(reason)")
        }
    }
    print("\(count) entries, \(errors) errors, the slowest took \(slowest) ms")
} catch {
    print("failed: \(error)")
    exit(1)
}
