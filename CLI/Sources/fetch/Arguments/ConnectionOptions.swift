internal import ArgumentParser
package import HTTPClient

/// Holds a number from the command line: digits alone, at most as large as fits in 63 bits.
package struct WholeNumber: Sendable, Hashable, ExpressibleByArgument {
    package let value: Int

    package init?(argument: String) {
        guard let value = Decimal.value(of: argument.utf8) else { return nil }
        self.value = value
    }
}

/// Names the addresses that `-4` and `-6` ask for.
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

/// Names a level at which responses are read.
enum ParserLevel: String, EnumerableFlag {
    case strict
    case lenient
    case forensic

    static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .strict: "Refuse responses that break a rule of HTTP/1.1."
        case .lenient: "Read the heads that RFC 9112 lets a recipient read, as usual."
        case .forensic: "Read whatever can be read, and print each broken rule on standard error."
        }
    }

    /// The library's name of the level.
    var strictness: Strictness {
        switch self {
        case .strict: .strict
        case .lenient: .lenient
        case .forensic: .forensic
        }
    }
}

/// Names a preset of the address policy.
package enum PolicyName: String, ExpressibleByArgument {
    case any
    case publicOnly = "public"
    case noLocal = "no-local"

    /// The preset.
    package var policy: AddressPolicy {
        switch self {
        case .any: .any
        case .publicOnly: .publicOnly
        case .noLocal: .noLinkLocalOrMetadata
        }
    }
}
