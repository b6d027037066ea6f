import Wire

/// The reader that uses Wire, with the whole message at once.
enum WireReader {
    static func verdict(on bytes: [UInt8], _ role: Message.Role) -> Verdict {
        var section = 0
        do throws(WireError) {
            return try read(bytes, role, &section)
        } catch {
            if error.kind == .truncated { return .incomplete }
            return .refused(error, section: section)
        }
    }

    private static func read(
        _ bytes: [UInt8],
        _ role: Message.Role,
        _ section: inout Int
    ) throws(WireError) -> Verdict {
        let head: (end: Int, framing: BodyFraming, status: Int)?
        switch role {
        case .request: head = try requestHead(bytes.span)
        case .response: head = try responseHead(bytes.span)
        }
        guard let head else { return .incomplete }
        var reading = Verdict.Reading(end: head.end, status: head.status)
        section = head.end
        var body = BodyDecoder(head.framing)
        while true {
            let start = reading.end
            // Offsets of trailers count from their first byte. This call starts there, unless it
            // starts before the last chunk.
            let step = try body.decode(bytes.span.extracting(start..<bytes.count))
            reading.end += step.consumed
            switch step.event {
            case .body(let range):
                reading.content += bytes[(start + range.lowerBound)..<(start + range.upperBound)]
            case .end:
                return .complete(reading)
            case .needMore:
                try body.finish()
                return .complete(reading)
            }
        }
    }

    private static func requestHead(
        _ input: Span<UInt8>
    ) throws(WireError) -> (end: Int, framing: BodyFraming, status: Int)? {
        var decoder = RequestHeadDecoder()
        let step = try decoder.decode(input)
        guard let head = step.head else { return nil }
        let framing = try BodyFraming.ofRequest(version: head.version, headers: head.headers)
        return (step.consumed, framing, 0)
    }

    private static func responseHead(
        _ input: Span<UInt8>
    ) throws(WireError) -> (end: Int, framing: BodyFraming, status: Int)? {
        var decoder = ResponseHeadDecoder()
        let step = try decoder.decode(input)
        guard let head = step.head else { return nil }
        let framing = try BodyFraming.ofResponse(
            to: .get,
            status: head.status,
            version: head.version,
            headers: head.headers
        )
        return (step.consumed, framing, head.status.code)
    }
}
