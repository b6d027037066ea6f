// Prints the tokens of a language model as they arrive, as server-sent events. Then it reads a feed that
// continues after each lost connection.
//
//     swift run --package-path Examples TokenReader                               a server in this process
//     swift run --package-path Examples TokenReader http://host/chat "A question"  another server
import Glibc
import HTTPClient
import HTTPTestServer

/// A model that answers each question with the same words, and a feed whose connection ends after each entry.
let server = try await HTTPTestServer.start { request in
    guard request.path == "/feed" else {
        let tokens = ["Streams", " arrive", " in", " pieces", "."].map {
            "data: {\"token\": \"\($0)\"}\n\n"
        }
        return .chunks([": welcome\n\n"] + tokens + ["data: [DONE]\n\n"])
            .header(.contentType, "text/event-stream")
    }
    let last = request.headers["Last-Event-ID"].flatMap { Int($0) } ?? 0
    guard last < 3 else { return .status(.noContent) }
    return .chunks(["retry: 1\nid: \(last + 1)\n", "data: entry \(last + 1)\n\n"])
        .header(.contentType, "text/event-stream")
}

let arguments = CommandLine.arguments.dropFirst()
let question = arguments.dropFirst().first ?? "How do streams arrive?"
let request = HTTPRequest(arguments.first ?? server.url + "/chat", method: .post)
    .json(["prompt": .string(question), "stream": true])
do {
    // A POST is sent once, so the stream ends with the response.
    for try await event in HTTPClient.shared.events(request) {
        if event.data == "[DONE]" { break }
        print(try HTTPJSON(parsing: event.data)["token"].string ?? "", terminator: "")
        fflush(nil)
    }
    print()
    // A GET is repeated with the ID of the last event, until the server answers 204.
    for try await event in HTTPClient.shared.events(server.url + "/feed") {
        print(event.lastEventID, event.data)
    }
} catch {
    print("failed: \(error)")
    exit(1)
}
