/// The ways in which a network may split bytes: whole, byte by byte, and in two at every position.
package struct ByteSplits: Sequence {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    package func makeIterator() -> IndexingIterator<[[[UInt8]]]> {
        var ways: [[[UInt8]]] = [[bytes], bytes.map { [$0] }]
        for point in bytes.indices.dropFirst() {
            ways.append([Array(bytes[..<point]), Array(bytes[point...])])
        }
        return ways.makeIterator()
    }

    /// The progress of a subject after it was passed bytes.
    package struct Consumption {
        package var consumed: Int
        package var next: Next

        package enum Next {
            /// Pass the remaining bytes again, at once.
            case again
            /// Pass the remaining bytes again when more have arrived.
            case whenMore
            /// The subject has read all it needs.
            case done
        }

        package init(consumed: Int, next: Next) {
            self.consumed = consumed
            self.next = next
        }
    }

    /// Passes pieces to a subject as a connection would: unconsumed bytes are passed again.
    ///
    /// - Returns: the bytes that remained when the subject was done; nil if it never was.
    package static func feed(
        _ pieces: [[UInt8]],
        to process: (Span<UInt8>) throws -> Consumption
    ) throws -> [UInt8]? {
        var buffer: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            buffer += piece
            var next = Consumption.Next.again
            while case .again = next {
                let step = try process(buffer.span)
                precondition(step.consumed >= 0 && step.consumed <= buffer.count)
                buffer.removeFirst(step.consumed)
                next = step.next
            }
            if case .done = next { return buffer + pieces[(index + 1)...].joined() }
        }
        return nil
    }
}
