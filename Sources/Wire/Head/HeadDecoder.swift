/// A head that a decoder creates from what its readers found.
protocol DecodableHead: Sendable {
    static var role: HeadScanner.Role { get }
    /// The rules for the fields, for the tolerant reader.
    static var section: TolerantFieldReader.Role { get }

    /// Creates a head that the strict reader found.
    init(_ line: HeadScanner.StartLine, storage: FieldStorage)

    /// Creates a head that the tolerant reader found; nil if its start line is of the other kind.
    init?(_ found: TolerantHeadReader.Head)
}

/// A decoder of consecutive heads of one kind.
///
/// ``RequestHeadDecoder`` and ``ResponseHeadDecoder`` are its public forms. It uses the strict reader, and
/// continues with the tolerant reader where the level permits it.
struct HeadDecoder<Head: DecodableHead>: Sendable {
    /// The number of bytes at the front that were consumed, and the head; 0 and nil if more are needed.
    typealias Step = (consumed: Int, head: Head?)

    let limits: WireLimits
    let strictness: Strictness
    /// The tolerated deviations, and the progress in a head that the strict reader refused.
    private(set) var tolerance = TolerantHeadState.none
    /// Whether the next call can use the strict reader without keeping or resetting any state.
    ///
    /// False at ``Strictness/forensic``. At ``Strictness/lenient``, false from a head with deviations
    /// until the next one without. So a clean head costs the same at `lenient` as at `strict`.
    private(set) var usesStrictReader: Bool
    private var reader: HeadReader

    init(limits: WireLimits, strictness: Strictness) {
        self.limits = limits
        self.strictness = strictness
        usesStrictReader = strictness < .forensic
        reader = HeadReader(limits: limits, strictness: strictness)
    }

    /// Whether no byte of a head has been read.
    var isIdle: Bool { reader.isIdle && !tolerance.isReading }

    /// Keeps the storage of a head for reuse.
    mutating func recycle(_ storage: FieldStorage?) { reader.recycle(storage) }

    /// Decodes and copies a head.
    @inline(__always)
    mutating func decode(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard usesStrictReader else { return try decodeTolerantly(input) }
        do throws(WireError) {
            return try decodeStrictly(input)
        } catch {
            return try decodeTolerantly(input, after: error)
        }
    }

    /// Decodes a head without copying it.
    @inline(__always)
    mutating func decode(in buffer: inout InputBuffer) throws(WireError) -> Step {
        guard usesStrictReader else { return try decodeTolerantly(in: &buffer) }
        do throws(WireError) {
            return try decodeStrictly(in: &buffer)
        } catch {
            return try decodeTolerantly(in: &buffer, after: error)
        }
    }

    @inline(__always)
    private mutating func decodeStrictly(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard let found = try reader.read(Head.role, input) else { return (0, nil) }
        return (found.length, Head(found.line, storage: found.storage))
    }

    @inline(__always)
    private mutating func decodeStrictly(in buffer: inout InputBuffer) throws(WireError) -> Step {
        guard let found = try reader.read(Head.role, in: &buffer) else { return (0, nil) }
        return (found.length, Head(found.line, storage: found.storage))
    }

    /// Decodes a head that the strict reader has just refused.
    @inline(never)
    private mutating func decodeTolerantly(
        _ input: Span<UInt8>,
        after error: WireError
    ) throws(WireError) -> Step {
        try beginTolerantly(after: error)
        return try readTolerantly(input)
    }

    /// Decodes a head in a buffer that the strict reader has just refused, and copies it.
    @inline(never)
    private mutating func decodeTolerantly(
        in buffer: inout InputBuffer,
        after error: WireError
    ) throws(WireError) -> Step {
        try beginTolerantly(after: error)
        return try buffer.withBytes { (input) throws(WireError) in try readTolerantly(input) }
    }

    /// Decodes with the strict reader, and continues with the tolerant reader if it refuses the head.
    private mutating func decodeTolerantly(_ input: Span<UInt8>) throws(WireError) -> Step {
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
    private mutating func decodeTolerantly(in buffer: inout InputBuffer) throws(WireError) -> Step {
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

    /// Switches to the tolerant reader; throws the error again if the level does not tolerate it.
    private mutating func beginTolerantly(after error: WireError) throws(WireError) {
        guard strictness.canContinue(after: error) else { throw error }
        self = HeadDecoder(limits: limits, strictness: strictness)
        usesStrictReader = false
        tolerance = .reading(TolerantHeadReader(Head.section, strictness, limits: limits))
    }

    /// Records that a head had no deviation.
    private mutating func recordStrictHead(_ count: Int, of input: Span<UInt8>) {
        tolerance.recordStrictHead(count, of: input, strictness)
        usesStrictReader = strictness < .forensic
    }

    private mutating func readTolerantly(_ input: Span<UInt8>) throws(WireError) -> Step {
        guard let found = try tolerance.read(input), let head = Head(found) else { return (0, nil) }
        return (found.end, head)
    }
}
