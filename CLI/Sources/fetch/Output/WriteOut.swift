internal import HTTPClient

/// The parsed format of `--write-out`.
package struct WriteOut: Sendable {
    /// The stream that a part of the output goes to.
    package enum Stream: Sendable, Hashable {
        /// Standard output, which is the default.
        case output
        /// Standard error.
        case errors
    }

    /// One piece of output.
    package struct Piece: Sendable, Hashable {
        /// The stream of the piece.
        package let stream: Stream
        /// The text of the piece.
        package let text: String

        package init(_ stream: Stream, _ text: String) {
            self.stream = stream
            self.text = text
        }
    }

    private enum Part: Sendable {
        case text(String)
        case variable(String)
        case field(String)
    }

    private var parts: [Part] = []

    /// Parses a format: `%{name}`, `%header{name}`, `%%`, `\n`, `\r`, `\t`; other text is literal.
    package init(_ format: String) {
        var rest = Substring(format).unicodeScalars
        var text = ""
        while let scalar = rest.popFirst() {
            let part: Part?
            switch (scalar, rest.first) {
            case ("%", "%"), ("\\", "n"), ("\\", "r"), ("\\", "t"):
                text += Self.escaped(rest.removeFirst())
                continue
            case ("%", "{"): part = Self.braced("{", &rest).map { .variable($0) }
            case ("%", "h"): part = Self.braced("header{", &rest).map { .field($0) }
            default: part = nil
            }
            guard let part else {
                text.unicodeScalars.append(scalar)
                continue
            }
            if !text.isEmpty { parts.append(.text(text)) }
            text = ""
            parts.append(part)
        }
        if !text.isEmpty { parts.append(.text(text)) }
    }

    /// Renders the format for a transfer.
    ///
    /// An unknown variable prints only a warning on standard error, as in curl.
    package func render(_ record: TransferRecord) -> [Piece] {
        var pieces: [Piece] = []
        var stream = Stream.output
        for part in parts {
            switch part {
            case .text(let text): pieces.append(Piece(stream, text))
            case .field(let name):
                let value = record.head?.headers[FieldName(name)] ?? ""
                pieces.append(Piece(stream, value))
            case .variable("stdout"): stream = .output
            case .variable("stderr"): stream = .errors
            case .variable("onerror"):
                if record.failure == nil { return pieces }
            case .variable("json"):
                pieces.append(Piece(stream, WriteOutVariables.json(record)))
            case .variable("header_json"):
                let fields = record.head?.headers.map { ($0.name, $0.valueBytes) } ?? []
                pieces.append(Piece(stream, JSONText.object(of: fields)))
            case .variable(let name):
                if let value = WriteOutVariables.value(of: name, in: record) {
                    pieces.append(Piece(stream, value.text))
                } else {
                    let complaint =
                        "fetch: unknown --write-out variable: '\(MessageText.line(name))'\n"
                    pieces.append(Piece(.errors, complaint))
                }
            }
        }
        return pieces
    }

    private static func escaped(_ scalar: UnicodeScalar) -> String {
        switch scalar {
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        default: "%"
        }
    }

    /// Consumes `opening`, a name and a brace; consumes nothing when they do not match.
    private static func braced(
        _ opening: String,
        _ rest: inout Substring.UnicodeScalarView
    ) -> String? {
        guard rest.starts(with: opening.unicodeScalars) else { return nil }
        let name = rest.dropFirst(opening.unicodeScalars.count)
        guard let end = name.firstIndex(of: "}") else { return nil }
        rest = name[name.index(after: end)...]
        return String(Substring(name[..<end]))
    }
}
