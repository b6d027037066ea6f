internal import ArgumentParser

/// The value of `--continue-at`: the offset of the part that is still to be transferred.
package enum ResumeOffset: Sendable, Hashable {
    /// At the end of the existing file.
    case fileEnd
    /// After this many bytes.
    case bytes(Int)
}

extension ResumeOffset: ExpressibleByArgument {
    /// Parses `-`, or digits only; nil for any other text.
    package init?(argument: String) {
        if argument == "-" {
            self = .fileEnd
        } else if let bytes = Decimal.value(of: argument.utf8) {
            self = .bytes(bytes)
        } else {
            return nil
        }
    }
}
