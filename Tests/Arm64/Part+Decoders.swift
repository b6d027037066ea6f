// Checks the decoders with whole and split input, which must give the same results.

extension Part {
    mutating func checkDecoder(rounds: Int, isRequest: Bool) {
        var heads = HeadMutator(seed: isRequest ? 301 : 401)
        for round in 0..<rounds {
            let bytes = heads.nextHead(isRequest: isRequest)
            let strictness = Strictness.allCases[round % 3]
            let size = 1 + heads.below(70)
            let read = { (size: Int) in
                isRequest
                    ? Self.request(bytes, size, strictness)
                    : Self.response(bytes, size, strictness)
            }
            let whole = read(bytes.count)
            let agrees = whole == read(size)
            record(bytes, agrees: agrees, isComplete: whole.isComplete)
            add(whole.hash)
        }
    }

    mutating func checkBodies(rounds: Int) {
        var bodies = HeadMutator(seed: 501)
        for _ in 0..<rounds {
            let bytes = bodies.nextBody()
            let (size, room) = (bodies.below(256), bodies.below(256))
            checkChunked(FuzzInput([UInt8(size), UInt8(bodies.below(256)), UInt8(room)] + bytes))
            // The ends of content pieces depend on the splits, so the outcomes are not compared.
            for size in [bytes.count, 1 + size, 1] {
                let outcome = Self.body(bytes, size)
                record(bytes, agrees: true, isComplete: outcome.isComplete)
                add(outcome.hash)
            }
        }
    }

    mutating func checkExchanges(rounds: Int) {
        var messages = HeadMutator(seed: 601)
        for round in 0..<rounds {
            let lines = [
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404 No\r\nContent-Length: 19\r\n\r\n",
                "HTTP/1.1 200 OK\r\ncontent-length: 300\r\nETag: \"a\"\r\n\r\n",
            ]
            let bytes =
                round % 4 == 3
                ? messages.nextHead(isRequest: false)
                : Array(lines[round % 4].utf8) + messages.nextBody()
            for size in [bytes.count, 1 + messages.below(70)] {
                let outcome = Self.exchange(bytes, size)
                record(bytes, agrees: true, isComplete: outcome.isComplete)
                add(outcome.hash)
            }
        }
    }

    /// Checks the collected fuzzing inputs against the properties of their targets.
    mutating func checkCorpus(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0a) {
            let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
            guard words.count == 2, let count = Int(words[1]) else { break }
            let input = Array(rest[(end + 1)...].prefix(count))
            rest = rest[(end + 1)...].dropFirst(count)
            // The truncated input must satisfy the property as well.
            for input in [input, Array(input.dropLast())] {
                switch words[0] {
                case "ChunkedFuzz": checkChunked(FuzzInput(input))
                case "RequestHeadFuzz": checkRequestHead(FuzzInput(input))
                case "ResponseHeadFuzz": checkResponseHead(FuzzInput(input))
                case "RoundTripFuzz": checkRoundTrip(FuzzInput(input))
                case "ScannerFuzz": checkScanner(FuzzInput(input))
                case "URIFuzz": checkURI(FuzzInput(input))
                default: preconditionFailure("a target that is not known")
                }
                record(input, agrees: true, isComplete: true)
            }
        }
        precondition(rest.isEmpty, "the corpus is cut short")
    }

    /// The results of a decoder, as one number.
    private struct Outcome: Equatable {
        var hash: Int
        var isComplete: Bool

        /// Feeds bytes to `decode`, which hashes its results.
        ///
        /// As ``feed(_:size:_:)`` requires, it returns the number of bytes consumed and whether it is done.
        init(
            _ bytes: [UInt8],
            _ size: Int,
            _ decode: (Span<UInt8>, inout Hasher) throws(WireError) -> (Int, Bool),
            finally end: (inout Hasher) throws(WireError) -> Void = { _ in }
        ) {
            var hasher = Hasher()
            var isComplete = false
            do throws(WireError) {
                let consumed = try feed(bytes, size: size) { (input) throws(WireError) in
                    let (consumed, isDone) = try decode(input, &hasher)
                    isComplete = isDone
                    return (consumed, isDone)
                }
                if isComplete { hasher.combine(consumed) }
                try end(&hasher)
            } catch {
                hasher.combine(error)
            }
            hash = hasher.finalize()
            self.isComplete = isComplete
        }
    }

    private static func request(_ bytes: [UInt8], _ size: Int, _ level: Strictness) -> Outcome {
        var decoder = RequestHeadDecoder(strictness: level)
        return Outcome(bytes, size) { (input, hasher) throws(WireError) in
            let step = try decoder.decode(input)
            guard let head = step.head else { return (step.consumed, false) }
            hasher.combine(head)
            hasher.combine(decoder.diagnostics)
            return (step.consumed, true)
        }
    }

    private static func response(_ bytes: [UInt8], _ size: Int, _ level: Strictness) -> Outcome {
        var decoder = ResponseHeadDecoder(strictness: level)
        return Outcome(bytes, size) { (input, hasher) throws(WireError) in
            let step = try decoder.decode(input)
            guard let head = step.head else { return (step.consumed, false) }
            hasher.combine(head)
            hasher.combine(head.rawBytes)
            hasher.combine(decoder.diagnostics)
            return (step.consumed, true)
        }
    }

    private static func body(_ bytes: [UInt8], _ size: Int) -> Outcome {
        var decoder = ChunkedDecoder()
        return Outcome(bytes, size) { (input, hasher) throws(WireError) in
            let step = try decoder.decode(input)
            hasher.combine(step)
            if case .end = step.event { return (step.consumed, true) }
            return (step.consumed, false)
        }
    }

    private static func exchange(_ bytes: [UInt8], _ size: Int) -> Outcome {
        var exchange = MessageExchange(request: RequestHead(method: .get, target: .origin("/")))
        exchange.requestSent()
        return Outcome(bytes, size) { (input, hasher) throws(WireError) in
            let step = try exchange.receive(input)
            hasher.combine(step)
            if case .end = step.event { return (step.consumed, true) }
            return (step.consumed, false)
        } finally: { (hasher) throws(WireError) in
            hasher.combine(try exchange.receiveEndOfStream())
            hasher.combine(exchange.closeReason)
        }
    }
}
