/// Says what a scripted origin does on one connection, step by step, in literal bytes.
///
///     [.expect("GET / HTTP/1.1\r\nhost: a\r\n\r\n"), .reply("HTTP/1.1 200 OK\r\n…"), .close]
///
/// After the last step the origin reads and records what still comes until the peer closes, then
/// closes too. A step that does not get what it expects is written to ``ScriptedOrigin/failures`` and
/// the connection is reset.
package struct OriginScript: Sendable, ExpressibleByArrayLiteral {
    package var steps: [OriginStep]

    package init(_ steps: [OriginStep]) {
        self.steps = steps
    }

    package init(arrayLiteral elements: OriginStep...) {
        steps = elements
    }

    /// Answers every request without a body on one connection with the same bytes.
    package static func always(_ reply: String) -> OriginScript {
        [.forever([.expectHead, .reply(reply)])]
    }
}

/// Names one thing a scripted origin does.
package indirect enum OriginStep: Sendable {
    /// The next bytes are exactly these.
    case expectBytes([UInt8])
    /// Reads until these bytes have come; they are the end of what is read.
    case expectThrough([UInt8])
    /// Reads this many bytes, whatever they are.
    case expectCount(Int)
    /// Reads through the next empty line, and asks whether the head read is right.
    case expectHeadWhere(@Sendable (String) -> Bool)
    /// Waits until the peer closes its sending side; any byte before is a failure.
    case expectEnd
    /// Sends the bytes in as few segments as the kernel makes of them.
    case replyBytes([UInt8])
    /// Sends each byte in a segment of its own.
    case replyByteByByteBytes([UInt8])
    /// Sends the bytes again and again until the peer is gone.
    case replyForever([UInt8])
    /// Waits until the gate is open.
    case pause(Gate)
    /// Sends FIN and goes on reading: a half-closed connection.
    case closeWrite
    /// Closes in order. What the peer sends later is answered by RST.
    case close
    /// Closes with RST at once.
    case reset
    /// Connects to this port of 127.0.0.1 and carries bytes both ways until either side ends.
    case relay(toPort: Int)
    /// The same, but ends as soon as so many bytes have come back from there; goes on with the next
    /// step. The bytes beyond are lost.
    case relayAnswer(toPort: Int, bytes: Int)
    /// The same as `relay`, but changes the last byte of the peer's n-th piece, counted from 0.
    case relayCorrupted(toPort: Int, piece: Int)
    /// Plays the steps this many times.
    case `repeat`(Int, [OriginStep])
    /// Plays the steps until the peer closes between two rounds.
    case forever([OriginStep])

    /// The next bytes are exactly these.
    package static func expect(_ text: String) -> OriginStep {
        .expectBytes(Array(text.utf8))
    }

    /// The next bytes are exactly these.
    package static func expect(_ bytes: [UInt8]) -> OriginStep {
        .expectBytes(bytes)
    }

    /// Reads until `text` has come.
    package static func expect(through text: String) -> OriginStep {
        .expectThrough(Array(text.utf8))
    }

    /// Reads this many bytes.
    package static func expect(count: Int) -> OriginStep {
        .expectCount(count)
    }

    /// Reads a head, whatever it says.
    package static var expectHead: OriginStep {
        .expectHeadWhere { _ in true }
    }

    /// Reads a head and wants each of `lines` in it, as a whole line, in any order.
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
