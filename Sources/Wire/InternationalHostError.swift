/// The reason why a host that is not ASCII, or is percent-encoded, has no form in ASCII (UTS 46).
@nonexhaustive public enum InternationalHostError: Error, Sendable, Hashable {
    /// The package trait `IDN` is off. Turn it on, or give the host in its `xn--` form.
    case traitDisabled
    /// The decoded host is not UTF-8.
    case invalidUTF8
    /// A character may not stand in a host, or maps to one that may not, such as "/", ":" or "@".
    case forbiddenCharacter
    /// A hyphen, combining mark or joiner stands where none may, such as at the start of a label.
    case misplacedCharacter
    /// Characters written from right to left are mixed with others against RFC 5893.
    case mixedDirections
    /// A label that begins with `xn--` is not the form of any name.
    case invalidALabel
    /// Two dots follow each other, or a label has only characters that are ignored.
    case emptyLabel
    /// A label has more than 63 bytes in its `xn--` form.
    case labelTooLong
    /// The name has more than 253 bytes in ASCII, or more than 1024 bytes before the conversion.
    case nameTooLong
    /// libidn2 failed for another reason, such as memory; the number is its status.
    case libraryFailure(Int)
}
