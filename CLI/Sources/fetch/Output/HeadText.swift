internal import HTTPClient

extension HTTPHeaders {
    /// The fields as they are sent, with the empty line.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for field in self {
            bytes += Array(field.name.utf8) + Array(": ".utf8) + field.valueBytes + [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }
}

extension ResponseHead {
    /// The head as a server would send it; for a stored response, which no server has sent now.
    var bytes: [UInt8] {
        Array("\(version) \(status.code) \(reason)\r\n".utf8) + headers.bytes
    }
}

extension HTTPResponse.CacheStatus {
    /// Whether the response takes the place of an outcome that the server sent for the same request.
    var replacesOutcome: Bool {
        outcome == .revalidated || outcome == .staleHit && reason == "stale-if-error"
    }
}
