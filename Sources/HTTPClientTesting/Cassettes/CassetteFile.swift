internal import HTTPClient
internal import SocketTransport

/// A reader and writer for the file of a cassette.
enum CassetteFile {
    private static let version = 1

    static func encode(_ recording: Recording) -> [UInt8] {
        let list = recording.entries.map { entry -> HTTPJSON in
            .object([
                .init("request", request(entry.request)),
                .init(
                    "response",
                    .object([
                        .init("status", .integer(Int(entry.status))),
                        .init("headers", fields(entry.headers)),
                        .init("body", content(entry.body)),
                    ])
                ),
            ])
        }
        let whole = HTTPJSON.object([
            .init("version", .integer(version)), .init("salt", .string(recording.salt)),
            .init("interactions", .array(list)),
        ])
        return Array("\(lines(whole, indent: ""))\n".utf8)
    }

    private static func request(_ recorded: CassetteEntry.RecordedRequest) -> HTTPJSON {
        var members: [HTTPJSON.Member] = [
            .init("method", .string(recorded.method)),
            .init("url", .string(recorded.url)),
            .init("headers", fields(recorded.headers)),
            .init("body", content(recorded.body)),
        ]
        if let digest = recorded.digest { members.append(.init("digest", .string(digest))) }
        return .object(members)
    }

    private static func fields(_ fields: [(name: String, value: String)]) -> HTTPJSON {
        .array(fields.map { .array([.string($0.name), .string($0.value)]) })
    }

    /// Returns text as text, so that people can read and change it, and other bytes as base64.
    private static func content(_ bytes: [UInt8]) -> HTTPJSON {
        guard !bytes.isEmpty else { return .null }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .object([.init("base64", .string(Base64Text.encode(bytes)))])
        }
        return .object([.init("text", .string(text))])
    }

    /// Formats JSON in lines; an array or object without nested values stays on one line.
    private static func lines(_ json: HTTPJSON, indent: String) -> String {
        let inner = indent + "  "
        switch json {
        case .array(let elements) where elements.contains(where: \.isNested):
            let list = elements.map { inner + lines($0, indent: inner) }
            return "[\n\(list.joined(separator: ",\n"))\n\(indent)]"
        case .object(let members) where members.contains(where: \.value.isNested):
            let list = members.map { member in
                "\(inner)\(HTTPJSON.string(member.name)): \(lines(member.value, indent: inner))"
            }
            return "{\n\(list.joined(separator: ",\n"))\n\(indent)}"
        default: return json.description
        }
    }

    // MARK: - Reading

    /// Reads a file; the salt is empty if the file has none, for example if written by hand.
    static func decode(_ bytes: [UInt8]) throws(HTTPCassetteError) -> Recording {
        let json: HTTPJSON
        do {
            json = try HTTPJSON(reading: bytes, maxDepth: 8)
        } catch {
            throw .json(error)
        }
        guard let number = json["version"].int, let list = json["interactions"].array else {
            throw .unrecognizedFormat
        }
        guard number == version else { throw .unknownVersion }
        var recording = Recording(salt: json["salt"].string ?? "")
        for (index, element) in list.enumerated() {
            recording.entries.append(try Members(json: element, index: index).entry())
        }
        return recording
    }

    /// The members of one interaction.
    private struct Members {
        let json: HTTPJSON
        let index: Int

        func entry() throws(HTTPCassetteError) -> CassetteEntry {
            let recorded = CassetteEntry.RecordedRequest(
                method: try text("request", "method"),
                url: try text("request", "url"),
                headers: try fields("request"),
                body: try content("request"),
                digest: json["request"]["digest"].string
            )
            guard let status = json["response"]["status"].int, 200...999 ~= status else {
                throw failure("response", "status")
            }
            return CassetteEntry(
                request: recorded,
                status: status,
                headers: try fields("response"),
                body: try content("response")
            )
        }

        private func text(_ part: String, _ name: String) throws(HTTPCassetteError) -> String {
            guard let text = json[part][name].string else { throw failure(part, name) }
            return text
        }

        private func fields(
            _ part: String
        ) throws(HTTPCassetteError) -> [(name: String, value: String)] {
            guard let list = json[part]["headers"].array else { throw failure(part, "headers") }
            var fields: [(name: String, value: String)] = []
            for pair in list {
                guard pair.array?.count == 2, let name = pair[0].string, let value = pair[1].string
                else { throw failure(part, "headers") }
                fields.append((name, value))
            }
            return fields
        }

        private func content(_ part: String) throws(HTTPCassetteError) -> [UInt8] {
            let body = json[part]["body"]
            if body.isNull { return [] }
            if let text = body["text"].string { return Array(text.utf8) }
            guard let text = body["base64"].string, let bytes = Base64Text.decode(text.utf8)
            else { throw failure(part, "body") }
            return bytes
        }

        private func failure(_ part: String, _ name: String) -> HTTPCassetteError {
            .invalidMember("\(part).\(name)", interaction: index)
        }
    }
}

extension HTTPJSON {
    /// Whether the value is an object or a nonempty array, so that its container spans lines.
    fileprivate var isNested: Bool {
        switch self {
        case .array(let elements): !elements.isEmpty
        case .object: true
        default: false
        }
    }
}
