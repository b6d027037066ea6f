/// Says what is wrong with the text of a URI (RFC 3986, and RFC 9110 §4.2 for http and https).
public enum InvalidURIReason: Sendable, Hashable {
    /// The text is longer than 1 MiB: a bound of ours; servers rarely take more than 8 KiB.
    case tooLong
    /// A byte may not stand in this part: a space, a control, a bracket outside a host.
    case forbiddenByte
    /// A byte above 0x7E: a URI is ASCII; international text must be percent-encoded.
    case nonASCII
    /// A "%" is not followed by two hexadecimal digits.
    case invalidPercentTriplet
    /// An http or https URI, or a reference that begins with "//", has no host.
    case missingHost
    /// A bracketed host is no IPv6 address, or a bracket is missing.
    case invalidIPv6Literal
    /// The port is not 0 to 65535 in decimal digits.
    case invalidPort
    /// The first segment of a relative path holds a colon, and what precedes it is no scheme.
    case invalidScheme
    /// The host is not ASCII or percent-encoded, and has no form in ASCII; the offset is the host's.
    case internationalHost(InternationalHostError)
}
