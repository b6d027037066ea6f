internal import ArgumentParser
package import HTTPClient

/// A whole number from the command line: digits only, and it must fit in 63 bits.
package struct WholeNumber: Sendable, Hashable, ExpressibleByArgument {
    package let value: Int

    package init?(argument: String) {
        guard let value = Decimal.value(of: argument.utf8) else { return nil }
        self.value = value
    }
}

/// The address family that `-4` or `-6` selects.
enum IPVersion: String, EnumerableFlag {
    case ipv4
    case ipv6

    static func name(for value: Self) -> NameSpecification {
        switch value {
        case .ipv4: [.customShort("4"), .customLong("ipv4")]
        case .ipv6: [.customShort("6"), .customLong("ipv6")]
        }
    }
}

/// The strictness with which responses are parsed.
enum ParserLevel: String, EnumerableFlag {
    case strict
    case lenient
    case forensic

    static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .strict: "Reject responses that break a rule of HTTP/1.1."
        case .lenient: "Accept the deviations that RFC 9112 lets a recipient accept (default)."
        case .forensic: "Accept all that can be parsed, and print each deviation on standard error."
        }
    }

    /// The library's value for this level.
    var strictness: Strictness {
        switch self {
        case .strict: .strict
        case .lenient: .lenient
        case .forensic: .forensic
        }
    }
}

/// The name of a preset of the address policy.
package enum PolicyName: String, ExpressibleByArgument {
    case any
    case publicOnly = "public"
    case noLocal = "no-local"

    /// The preset of this name.
    package var policy: AddressPolicy {
        switch self {
        case .any: .any
        case .publicOnly: .publicOnly
        case .noLocal: .noLinkLocalOrMetadata
        }
    }
}
