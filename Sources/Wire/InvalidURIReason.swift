/// A reason why text is not a valid URI (RFC 3986, and RFC 9110 §4.2 for http and https).
public enum InvalidURIReason: Sendable, Hashable {
    /// The text is longer than 1 MiB, a limit of this module; servers rarely accept more than 8
    /// KiB.
    case tooLong
    /// A byte is not allowed in this part, such as a space, a control character, or a bracket
    /// outside a host.
    case forbiddenByte
    /// A byte is above 0x7E.
    ///
    /// A URI is ASCII, so international text must be percent-encoded.
    case nonASCII
    /// A "%" is not followed by two hexadecimal digits.
    case invalidPercentTriplet
    /// An http or https URI, or a reference that begins with "//", has no host.
    case missingHost
    /// A bracketed host is not an IPv6 address, or a bracket is missing.
    case invalidIPv6Literal
    /// The port is not 0 to 65535 in decimal digits.
    case invalidPort
    /// The first segment of a relative path contains a colon, and the text before it is not a
    /// scheme.
    case invalidScheme
    /// An international or percent-encoded host cannot be converted to ASCII; the offset is that of
    /// the host.
    case internationalHost(InternationalHostError)
}
