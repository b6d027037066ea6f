internal import ArgumentParser

/// Holds the value of `--continue-at`: where the part begins that is still to be transferred.
package enum ResumeOffset: Sendable, Hashable {
    /// Behind what the file has.
    case fileEnd
    /// Behind so many octets.
    case octets(Int)
}

extension ResumeOffset: ExpressibleByArgument {
    /// Reads strictly: `-`, or digits alone.
    package init?(argument: String) {
        if argument == "-" {
            self = .fileEnd
        } else if let octets = Decimal.value(of: argument.utf8) {
            self = .octets(octets)
        } else {
            return nil
        }
    }
}
