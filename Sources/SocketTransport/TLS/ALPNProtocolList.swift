/// ALPN names in wire format (RFC 7301 §3.1): a length byte, then the name.
final class ALPNProtocolList: Sendable {
    let wire: [UInt8]

    /// Encodes names in order of preference.
    ///
    /// - Throws: `.settings` for a name that is empty or longer than 255 bytes.
    init(_ names: [String]) throws(TLSError) {
        var wire: [UInt8] = []
        for name in names {
            guard let length = UInt8(exactly: name.utf8.count), length > 0 else {
                throw .failed(.settings(reason: "an ALPN name must have 1 to 255 bytes"))
            }
            wire.append(length)
            wire.append(contentsOf: name.utf8)
        }
        guard wire.count <= Int(UInt16.max) - 4 else {
            throw .failed(.settings(reason: "the ALPN names are too long for their extension"))
        }
        self.wire = wire
    }

    /// Returns the most preferred name of this list that the peer also offers.
    ///
    /// - Returns: the range of the name in `offered`, without its length byte.
    func firstShared(in offered: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        // SAFETY: every index is below a `count` checked before; the caller keeps the buffer valid.
        var ours = 0
        while ours < wire.count {
            let name = (ours + 1)..<(ours + 1 + Int(wire[ours]))
            var theirs = 0
            while theirs < offered.count {
                let end = theirs + 1 + Int(unsafe offered[theirs])
                guard end <= offered.count else { break }
                let range = (theirs + 1)..<end
                if range.count == name.count,
                    zip(name, range).allSatisfy({ wire[$0.0] == (unsafe offered[$0.1]) })
                {
                    return range
                }
                theirs = end
            }
            ours = name.upperBound
        }
        return nil
    }
}
