/// A family of texts, of any length, that a peer could send to make a parser slow.
package struct HostileText: Sendable, CustomStringConvertible {
    /// The text around the pieces, in which "…" is their place.
    private let frame: String
    /// The text to repeat, in which "{n}" is the number of the repetition.
    private let piece: String

    package init(_ frame: String, of piece: String) {
        self.frame = frame
        self.piece = piece
    }

    /// Returns a text with as many pieces as fit into `length` bytes.
    package func text(_ length: Int) -> String {
        var pieces = ""
        if piece.contains("{n}") {
            let parts = piece.split(separator: "{n}", omittingEmptySubsequences: false)
            var number = 0
            while pieces.utf8.count < length {
                pieces += parts.joined(separator: "\(number)")
                number += 1
            }
        } else {
            pieces = String(repeating: piece, count: length / piece.utf8.count)
        }
        let sides = frame.split(separator: "…", omittingEmptySubsequences: false)
        return sides.joined(separator: pieces)
    }

    package var description: String { "\(frame) of \(piece)".debugDescription }

    /// Pieces for field values: separators, quotes and escapes, brackets, long words, lists, and distinct names.
    package static let fieldPieces = [
        ",", " ", "\t", ";", "\"", "\\", "=", "a", "0", "~", "%", "/", ":", "(", "[", "<", "'", ".",
        "\u{e9}", "%41", "../", "a.", "a,", "a ", "a= ", "a =", " ,", "\\\"", "a=\"", "\",",
        "\"a\",",
        "a=\"b\",", "a=\"\\\",", "A b=c,", "<a>,", "<a>;b=\"\\\",", "0-1,", "W/\"a\",",
        "a/b;q=0.1,",
        "a{n},", "a{n}=b,", "a{n}=b;", "A{n} b=c,", "<a{n}>;rel=b,",
    ]
}
