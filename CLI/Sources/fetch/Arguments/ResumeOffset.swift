internal import ArgumentParser

/// Holds the value of `--continue-at`: where the part begins that is still to be transferred.
package enum ResumeOffset: Sendable, Hashable {
    /// Behind what the file has.
    case fileEnd
    /// Behind so many bytes.
    case bytes(Int)
}

extension ResumeOffset: ExpressibleByArgument {
    /// Reads strictly: `-`, or digits alone.
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
