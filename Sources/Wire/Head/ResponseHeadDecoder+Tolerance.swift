extension ResponseHeadDecoder {
    /// The deviations tolerated in the last head, in the order in which they were found.
    ///
    /// Empty at ``Strictness/strict``. After an error: the deviations tolerated before it.
    public var diagnostics: [Diagnostic] { tolerance.diagnostics }

    /// The bytes of the last head as received, split into lines.
    ///
    /// Nil before the first head, and always below ``Strictness/forensic``. Each access creates it.
    public var rawHead: RawHead? { tolerance.rawHead }

    /// Whether another reader may find a different end of the message.
    ///
    /// True if the last head had a deviation at the end of a line; at ``Strictness/forensic``, if it had
    /// any deviation. Another reader may have found other lines, and so another end.
    var isFramingAmbiguous: Bool { tolerance.isFramingAmbiguous }

    /// Decodes a head that the strict reader has just refused.
    @inline(never)
    mutating func decodeTolerantly(
        _ input: Span<UInt8>,
        after error: WireError
    ) throws(WireError) -> Step {
        try beginTolerantly(after: error)
        return try readTolerantly(input)
    }

    /// Decodes a head in a buffer that the strict reader has just refused, and copies it.
    @inline(never)
    mutating func decodeTolerantly(
        in buffer: inout InputBuffer,
        after error: WireError
    ) throws(WireError) -> Step {
        try beginTolerantly(after: error)
        return try buffer.withBytes { (input) throws(WireError) in try readTolerantly(input) }
    }

    /// Decodes with the strict reader, and continues with the tolerant reader if it refuses the head.
    mutating func decodeTolerantly(_ input: Span<UInt8>) throws(WireError) -> Step {
        if !tolerance.isReading {
            do {
                let step = try decodeStrictly(input)
                if step.head != nil { recordStrictHead(step.consumed, of: input) }
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
                buffer.withBytes { recordStrictHead(step.consumed, of: $0) }
                return step
            } catch {
                try beginTolerantly(after: error)
            }
        }
        return try buffer.withBytes { (input) throws(WireError) in try readTolerantly(input) }
    }

    private mutating func readTolerantly(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard let found = try tolerance.read(input), case .status(let line) = found.start
        else { return Step(consumed: 0, head: nil) }
        var start = HeadScanner.StartLine()
        start.statusOrMethodNumber = UInt16(truncatingIfNeeded: line.status.code)
        start.targetOrReason = PackedRange(line.reason)
        var head = ResponseHead(start, storage: found.storage)
        head.version = line.version
        return Step(consumed: found.end, head: head)
    }
}
