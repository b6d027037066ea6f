/// The steps of a scripted origin on one connection, in literal bytes.
///
///     [.expect("GET / HTTP/1.1\r\nhost: a\r\n\r\n"), .reply("HTTP/1.1 200 OK\r\n…"), .close]
///
/// After the last step the origin reads and records further bytes until the peer closes, then
/// closes too. If a step does not read what it expects, the failure is added to
/// ``ScriptedOrigin/failures`` and the connection is reset.
package struct OriginScript: Sendable, ExpressibleByArrayLiteral {
    package var steps: [OriginStep]

    package init(_ steps: [OriginStep]) {
        self.steps = steps
    }

    package init(arrayLiteral elements: OriginStep...) {
        steps = elements
    }

    /// Returns a script that answers every request without a body with the same bytes.
    package static func always(_ reply: String) -> OriginScript {
        [.forever([.expectHead, .reply(reply)])]
    }
}

/// One step of a scripted origin.
package indirect enum OriginStep: Sendable {
    /// Expects exactly these bytes next.
    case expectBytes([UInt8])
    /// Reads through the next occurrence of these bytes.
    case expectThrough([UInt8])
    /// Reads this number of bytes, with any content.
    case expectCount(Int)
    /// Reads through the next empty line, and checks the head with the closure.
    case expectHeadWhere(@Sendable (String) -> Bool)
    /// Waits until the peer closes its sending side; any byte before that is a failure.
    case expectEnd
    /// Sends the bytes in as few segments as the kernel creates for them.
    case replyBytes([UInt8])
    /// Sends each byte in its own segment.
    case replyByteByByteBytes([UInt8])
    /// Sends the bytes repeatedly until the peer is gone.
    case replyForever([UInt8])
    /// Sends the bytes every few milliseconds until the peer is gone, so that its reader waits before each of them.
    case replyEvery(milliseconds: UInt32, [UInt8])
    /// Waits until the gate is open.
    case pause(Gate)
    /// Sends FIN and continues to read: a half-closed connection.
    case closeWrite
    /// Closes the connection cleanly. The kernel answers later bytes of the peer with RST.
    case close
    /// Closes with RST at once.
    case reset
    /// Connects to this port of 127.0.0.1 and forwards bytes until either side ends.
    case relay(toPort: Int)
    /// Like `relay`, but ends after this number of returned bytes and continues with the next step.
    ///
    /// Further bytes are lost.
    case relayAnswer(toPort: Int, bytes: Int)
    /// Like `relay`, but changes the last byte of the peer's n-th piece, counted from 0.
    case relayCorrupted(toPort: Int, piece: Int)
    /// Plays the steps this number of times.
    case `repeat`(Int, [OriginStep])
    /// Plays the steps until the peer closes between two rounds.
    case forever([OriginStep])

    /// Expects exactly these bytes next.
    package static func expect(_ text: String) -> OriginStep {
        .expectBytes(Array(text.utf8))
    }

    /// Expects exactly these bytes next.
    package static func expect(_ bytes: [UInt8]) -> OriginStep {
        .expectBytes(bytes)
    }

    /// Reads through the next occurrence of `text`.
    package static func expect(through text: String) -> OriginStep {
        .expectThrough(Array(text.utf8))
    }

    /// Reads this number of bytes.
    package static func expect(count: Int) -> OriginStep {
        .expectCount(count)
    }

    /// Reads a head with any content.
    package static var expectHead: OriginStep {
        .expectHeadWhere { _ in true }
    }

    /// Reads a head and expects each of `lines` in it, as a whole line, in any order.
    package static func expectHead(lines: String...) -> OriginStep {
        .expectHeadWhere { head in
            var present: Set<[UInt8]> = []
            var line: [UInt8] = []
            for byte in head.utf8 {
                if byte == UInt8(ascii: "\n") {
                    if line.last == UInt8(ascii: "\r") { line.removeLast() }
                    present.insert(line)
                    line = []
                } else {
                    line.append(byte)
                }
            }
            return lines.allSatisfy { present.contains(Array($0.utf8)) }
        }
    }

    package static func reply(_ text: String) -> OriginStep {
        .replyBytes(Array(text.utf8))
    }

    package static func reply(_ bytes: [UInt8]) -> OriginStep {
        .replyBytes(bytes)
    }

    package static func replyByteByByte(_ text: String) -> OriginStep {
        .replyByteByByteBytes(Array(text.utf8))
    }

    package static func replyByteByByte(_ bytes: [UInt8]) -> OriginStep {
        .replyByteByByteBytes(bytes)
    }
}
