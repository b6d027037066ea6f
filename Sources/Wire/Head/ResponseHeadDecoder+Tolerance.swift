extension ResponseHeadDecoder {
    /// What was tolerated in the head that was read last, in the order in which it was met.
    ///
    /// Empty at ``Strictness/strict``. After an error: what was tolerated before it.
    public var diagnostics: [Diagnostic] { tolerance.diagnostics }

    /// The head that was read last as it came, taken apart into lines.
    ///
    /// Nil before the first, and always below ``Strictness/forensic``. Made on each access.
    public var rawHead: RawHead? { tolerance.rawHead }

    /// Whether the head that was read last had a deviation in where a line ends, or at
    /// ``Strictness/forensic`` any deviation.
    ///
    /// Another reader may have found other lines, and with them another end of the message.
    var isFramingAmbiguous: Bool { tolerance.isFramingAmbiguous }

    /// Reads a head that the strict decoder has just refused.
    @inline(never)
    mutating func decodeTolerantly(
        _ input: Span<UInt8>,
        after error: WireError
    ) throws(WireError) -> Step {
        try beginTolerantly(after: error)
        return try readTolerantly(input)
    }

    /// Does the same where the head lies; what is tolerated is copied.
    @inline(never)
    mutating func decodeTolerantly(
        in buffer: inout InputBuffer,
        after error: WireError
    ) throws(WireError) -> Step {
        try beginTolerantly(after: error)
        return try buffer.withBytes { (input) throws(WireError) in try readTolerantly(input) }
    }

    /// Reads as the strict decoder does, until that one refuses.
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

    /// Does the same where the head lies; what is tolerated is copied.
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
