/// The state that a head decoder needs to continue where its strict reader refuses.
///
/// It is behind one pointer, which is null at ``Strictness/strict``, so that a strict decoder is small.
indirect enum TolerantHeadState: Sendable {
    /// No head has needed the tolerant reader. Can go to: reading, found.
    case none
    /// The strict reader refused the current head. Can go to: found.
    case reading(TolerantHeadReader)
    /// The diagnostics and bytes of the last head. Can go to: none, reading, found.
    case found(diagnostics: [Diagnostic], bytes: [UInt8], isFramingAmbiguous: Bool)

    /// Whether the tolerant reader has begun a head.
    var isReading: Bool {
        if case .reading = self { return true }
        return false
    }

    /// The deviations tolerated in the last head, or so far in the current one.
    var diagnostics: [Diagnostic] {
        switch self {
        case .none: []
        case .reading(let reader): reader.log.entries
        case .found(let diagnostics, _, _): diagnostics
        }
    }

    /// Whether a deviation of the last head makes its framing ambiguous.
    var isFramingAmbiguous: Bool {
        if case .found(_, _, true) = self { true } else { false }
    }

    /// The last head in raw form; nil below ``Strictness/forensic``.
    var rawHead: RawHead? {
        guard case .found(_, let bytes, _) = self, !bytes.isEmpty else { return nil }
        return RawHead(bytes)
    }

    /// Records a head of `count` bytes without a deviation.
    mutating func recordStrictHead(_ count: Int, of input: Span<UInt8>, _ strictness: Strictness) {
        self = .none
        guard strictness == .forensic else { return }
        let bytes = Self.copy(input.extracting(first: count))
        self = .found(diagnostics: [], bytes: bytes, isFramingAmbiguous: false)
    }

    /// Continues a head that the strict reader refused; returns nil while it is incomplete.
    mutating func read(_ input: Span<UInt8>) throws(WireError) -> TolerantHeadReader.Head? {
        guard case .reading(var reader) = self else { return nil }
        // Release the copy here; otherwise each call would copy all bytes read so far.
        self = .none
        defer { if case .none = self { self = .reading(reader) } }
        guard let head = try reader.read(input) else { return nil }
        let isKept = reader.log.strictness == .forensic
        let bytes = isKept ? Self.copy(input.extracting(first: head.end)) : []
        // Other readers may parse what `forensic` reads beyond `lenient` differently.
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
