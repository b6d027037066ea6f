internal import HTTPClient
internal import Wire

extension HTTPStub.Response {
    /// The bytes to send, in order.
    struct Script {
        /// Runs of bytes, and the time to wait before each.
        var runs: [(bytes: [UInt8], pause: Duration)] = []
        /// The number of bytes to send in all; nil for no limit.
        var limit: Int?
        var truncation = Truncation.close
    }

    /// Returns the bytes of the response to a request.
    ///
    /// - Throws: an error for a head that cannot be sent.
    func script(for request: HTTPStub.Request) throws(WireError) -> Script {
        var script = Script()
        script.runs = try runs(for: request)
        if let (place, kind) = truncation {
            switch place {
            case .head(let bytes): script.limit = bytes
            case .body(let bytes):
                let head = script.runs.first?.bytes.count ?? 0
                let (sum, hasOverflowed) = head.addingReportingOverflow(bytes)
                script.limit = hasOverflowed ? .max : sum
            }
            script.truncation = kind
        }
        if delay > .zero {
            if script.runs.isEmpty { script.runs = [([], delay)] }
            script.runs[0].pause = delay
        }
        return script
    }

    private func runs(
        for request: HTTPStub.Request
    ) throws(WireError) -> [(bytes: [UInt8], pause: Duration)] {
        switch content {
        case .raw(let bytes): return [(bytes, .zero)]
        case .bytes(let bytes): return try whole(bytes, headers, request)
        case .echo: return try whole(request.body, headers.adding(echoOf: request), request)
        case .chunks(let pieces, let pause):
            var head = ResponseHead(status: status, headers: headers)
            let isChunked = !head.isFramed && head.canHaveContentLength
            if isChunked { head.headers.append(.transferEncoding, "chunked") }
            var runs = [(bytes: try encoded(head), pause: Duration.zero)]
            guard head.canHaveBody(to: request.method) else { return runs }
            for (index, piece) in pieces.enumerated() {
                var bytes: [UInt8] = []
                if isChunked {
                    ChunkedEncoder.encode(piece.span, into: &bytes)
                } else {
                    bytes = piece
                }
                runs.append((bytes, index == 0 ? .zero : pause))
            }
            if isChunked { runs.append((Array("0\r\n\r\n".utf8), .zero)) }
            return runs
        case .file, .error, .failure:
            preconditionFailure("files were read, and errors have no response")
        }
    }

    /// Returns a head and a body whose bytes are all available.
    private func whole(
        _ bytes: [UInt8],
        _ headers: HTTPHeaders,
        _ request: HTTPStub.Request
    ) throws(WireError) -> [(bytes: [UInt8], pause: Duration)] {
        var head = ResponseHead(status: status, headers: headers)
        if !head.isFramed, head.canHaveContentLength {
            head.headers.append(.contentLength, "\(bytes.count)")
        }
        let runs = [(bytes: try encoded(head), pause: Duration.zero)]
        return head.canHaveBody(to: request.method) ? runs + [(bytes, .zero)] : runs
    }

    private func encoded(_ head: ResponseHead) throws(WireError) -> [UInt8] {
        var output: [UInt8] = []
        try ResponseHeadEncoder.encode(head, into: &output)
        return output
    }
}

extension HTTPHeaders {
    /// Returns a copy with the fields of a request that can be sent back.
    fileprivate func adding(echoOf request: HTTPStub.Request) -> HTTPHeaders {
        let own: [FieldName] = [
            .host, .connection, .contentLength, .transferEncoding, .expect, .upgrade, "TE",
        ]
        var result = self
        for field in request.headers where !own.contains(where: { field.isNamed($0) }) {
            if !contains(FieldName(field.name)) {
                result.append(FieldName(field.name), field.value)
            }
        }
        return result
    }
}
