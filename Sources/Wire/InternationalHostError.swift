/// The reason why an international or percent-encoded host cannot be converted to ASCII (UTS 46).
@nonexhaustive public enum InternationalHostError: Error, Sendable, Hashable {
    /// The package trait `IDN` is off.
    ///
    /// Enable it, or pass the host in its `xn--` form.
    case traitDisabled
    /// The decoded host is not UTF-8.
    case invalidUTF8
    /// A character is not allowed in a host, or maps to one that is not, such as "/", ":" or "@".
    case forbiddenCharacter
    /// A hyphen, combining mark or joiner is at a forbidden position, such as the start of a label.
    case misplacedCharacter
    /// Right-to-left characters are mixed with others in violation of RFC 5893.
    case mixedDirections
    /// A label that begins with `xn--` does not decode to a valid name.
    case invalidALabel
    /// Two dots are adjacent, or a label has only characters that are ignored.
    case emptyLabel
    /// A label has more than 63 bytes in its `xn--` form.
    case labelTooLong
    /// The name has more than 253 bytes in ASCII, or more than 1024 bytes before the conversion.
    case nameTooLong
    /// libidn2 failed for another reason, such as memory; the number is its status.
    case libraryFailure(Int)
}
