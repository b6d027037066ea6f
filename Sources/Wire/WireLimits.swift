/// Bounds what a peer can make us hold or compute.
///
/// Every decoder takes limits; there is no way to switch one off but a large number, such as
/// `Int.max`, and a negative number is as 0. The figures
/// below are generous for honest peers and small enough that thousands of connections fit in memory.
public struct WireLimits: Sendable, Hashable {
    /// Bytes of one head, from the start line to the empty line; 64 KiB.
    ///
    /// Common servers refuse heads of more than 8 to 64 KiB, so no honest response needs more.
    public var headBytes = 64 * 1024

    /// Bytes of a request line that a server reads, its CRLF and an empty line before it included;
    /// 16 KiB.
    ///
    /// RFC 9112 §3 asks for 8000 at least. Common servers take 8 to 16 KiB.
    public var requestLineBytes = 16 * 1024

    /// Field lines in one head; 128.
    ///
    /// Busy sites send 30 to 60.
    public var fieldCount = 128

    /// Interim (1xx) responses before the final one; 32.
    ///
    /// A stream of 103 or 102 responses is legal, an endless one is an attack.
    public var informationalCount = 32

    /// Bytes of one chunk-size line, extensions included, CRLF not; 4 KiB.
    public var chunkLineBytes = 4 * 1024

    /// Bytes of chunk extensions in one body, all chunks together; 16 KiB.
    ///
    /// Without it one-byte chunks with long extensions carry thousands of bytes for each of content.
    public var chunkExtensionBytes = 16 * 1024

    /// Bytes of one trailer section, its empty line included; 16 KiB.
    public var trailerBytes = 16 * 1024

    /// Field lines in one trailer section; 64.
    public var trailerCount = 64

    /// Bytes of one request's body that a server takes, before content decoding; without bound, for
    /// a body is passed on and not kept.
    public var requestBodyBytes = Int.max

    /// Bytes that content decoding may produce for one body; without bound, for the reader of the
    /// body has its own limit and the ratio stops bombs.
    public var decodedBytes = Int.max

    /// Bytes that content decoding may produce for each byte received; 100.
    ///
    /// Text shrinks by 3 to 20 and deflate cannot reach more than 1032.
    public var expansionRatio = 100

    /// Decoded bytes below which ``expansionRatio`` is not looked at; 1 MiB.
    ///
    /// Small bodies of one repeated byte are honest and harmless.
    public var expansionFloor = 1024 * 1024

    /// Coded bytes that content decoding may take beyond 100 for each byte that it makes; 64 KiB.
    ///
    /// Zeros behind gzip data, empty members and empty blocks make no output, so that no limit on
    /// decoded bytes is ever reached. Honest content has a few dozen such bytes. Checked for each
    /// coding and for all together, every 16 KiB; the error is ``ExceededLimit/codingOverheadBytes(_:)``.
    public var codingOverheadBytes = 64 * 1024

    /// Content codings that one body may have; 4.
    ///
    /// Honest content has one. Each takes 40 KiB of memory. The error is
    /// ``ExceededLimit/codingCount(_:)``.
    public var codingCount = 4

    /// Deviations reported for one head or one chunked body, at levels that tolerate some; 64.
    ///
    /// The message is read on beyond that; one more entry of
    /// ``Diagnostic/Code/furtherDeviations`` says that others were left out.
    public var diagnosticCount = 64

    /// Whether the line of a Set-Cookie field with a control byte is left out of a response's head
    /// (RFC 6265bis §5.6).
    ///
    /// Without it ``Strictness/strict`` and ``Strictness/lenient`` refuse a head with NUL there, and
    /// `lenient` changes or keeps the other control bytes. With it, `strict` leaves the line out but for a
    /// CR, which may end a line for other readers and is refused; `lenient` leaves it out whatever the
    /// byte is, and reports it. ``Strictness/forensic`` keeps and reports such lines in any case.
    /// HTTPClient sets it.
    package var dropsMalformedCookies = false

    /// Creates the default limits; set what should differ.
    public init() {}

    /// Holds the default limits.
    public static let `default` = WireLimits()
}
