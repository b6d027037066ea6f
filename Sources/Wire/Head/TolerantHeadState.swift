/// Holds what a head decoder needs beside its strict state to read on where that one refuses.
///
/// Behind one pointer, which is null at ``Strictness/strict``, so that a strict decoder stays small.
indirect enum TolerantHeadState: Sendable {
    /// No head was read that needed anything here. Can go to: reading, found.
    case none
    /// The strict reader refused the head at hand. Can go to: found.
    case reading(TolerantHeadReader)
    /// What is to be told about the last head. Can go to: none, reading, found.
    case found(diagnostics: [Diagnostic], bytes: [UInt8], isFramingAmbiguous: Bool)

    /// Says whether a head was begun here.
    var isReading: Bool {
        if case .reading = self { return true }
        return false
    }

    /// What was tolerated in the last head, or so far in the one at hand.
    var diagnostics: [Diagnostic] {
        switch self {
        case .none: []
        case .reading(let reader): reader.log.entries
        case .found(let diagnostics, _, _): diagnostics
        }
    }

    /// Whether a deviation of the last head leaves its framing in doubt.
    var isFramingAmbiguous: Bool {
        if case .found(_, _, true) = self { true } else { false }
    }

    /// The last head in raw form; nil below ``Strictness/forensic``.
    var rawHead: RawHead? {
        guard case .found(_, let bytes, _) = self, !bytes.isEmpty else { return nil }
        return RawHead(bytes)
    }

    /// Takes note of a head of that many bytes, without a deviation.
    mutating func recordStrictHead(_ count: Int, of input: Span<UInt8>, _ strictness: Strictness) {
        self = .none
        guard strictness == .forensic else { return }
        let bytes = Self.copy(input.extracting(first: count))
        self = .found(diagnostics: [], bytes: bytes, isFramingAmbiguous: false)
    }

    /// Reads on in a head that the strict reader refused; nil while it is not complete.
    mutating func read(_ input: Span<UInt8>) throws(WireError) -> TolerantHeadReader.Head? {
        guard case .reading(var reader) = self else { return nil }
        // Let go of the copy here, or each call would copy all that was read.
        self = .none
        defer { if case .none = self { self = .reading(reader) } }
        guard let head = try reader.read(input) else { return nil }
        let isKept = reader.log.strictness == .forensic
        let bytes = isKept ? Self.copy(input.extracting(first: head.end)) : []
        // What `forensic` reads beyond `lenient` may be read in another way elsewhere.
        self = .found(
            diagnostics: reader.log.entries,
            bytes: bytes,
            isFramingAmbiguous: reader.log.hasAmbiguousLines
                || isKept && !reader.log.entries.isEmpty
        )
        return head
    }

    private static func copy(_ bytes: Span<UInt8>) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        return copy
    }
}
