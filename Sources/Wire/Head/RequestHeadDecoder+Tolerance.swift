extension RequestHeadDecoder {
    /// The deviations tolerated in the last head, in the order in which they were found.
    ///
    /// Empty at ``Strictness/strict``. After an error: the deviations tolerated before it.
    public var diagnostics: [Diagnostic] { tolerance.diagnostics }

    /// The bytes of the last head as received, split into lines.
    ///
    /// Nil before the first head, and always below ``Strictness/forensic``. Each access creates it.
    public var rawHead: RawHead? { tolerance.rawHead }

    /// Decodes with the strict reader, and continues with the tolerant reader if it refuses the head.
    mutating func decodeTolerantly(_ input: Span<UInt8>) throws(WireError) -> Step {
        if !tolerance.isReading {
            do {
                let step = try decodeStrictly(input)
                if step.head != nil {
                    tolerance.recordStrictHead(step.consumed, of: input, strictness)
                }
                return step
            } catch {
                try beginTolerantly(after: error)
            }
        }
        return try readTolerantly(input)
    }

    /// Decodes from a buffer in the same way; only a head with a tolerated deviation is copied.
    mutating func decodeTolerantly(in buffer: inout InputBuffer) throws(WireError) -> Step {
        if !tolerance.isReading {
            do {
                let step = try decodeStrictly(in: &buffer)
                guard step.head != nil else { return step }
                buffer.withBytes { tolerance.recordStrictHead(step.consumed, of: $0, strictness) }
                return step
            } catch {
                try beginTolerantly(after: error)
            }
        }
        return try buffer.withBytes { (input) throws(WireError) in try readTolerantly(input) }
    }

    private mutating func beginTolerantly(after error: WireError) throws(WireError) {
        guard strictness.canContinue(after: error) else { throw error }
        self = RequestHeadDecoder(limits: limits, strictness: strictness)
        tolerance = .reading(TolerantHeadReader(.request, strictness, limits: limits))
    }

    private mutating func readTolerantly(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard let found = try tolerance.read(input), case .request(let line, let form) = found.start
        else { return Step(consumed: 0, head: nil) }
        let head = RequestHead(
            method: HTTPMethod(line.method),
            target: RequestTarget(form, line.target, of: found.storage),
            version: line.version,
            headers: HTTPHeaders(storage: found.storage)
        )
        return Step(consumed: found.end, head: head)
    }
}
