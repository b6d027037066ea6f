/// Limits on the memory and computation that a peer can cause.
///
/// Every decoder takes limits. The only way to disable one is a large number, such as `Int.max`; a
/// negative number counts as 0. The defaults are generous for legitimate peers, and small enough
/// for thousands of connections to fit in memory.
public struct WireLimits: Sendable, Hashable {
    /// The maximum size of one head in bytes, from the start line to the empty line; 64 KiB.
    ///
    /// Common servers reject heads of more than 8 to 64 KiB, so no legitimate response needs more.
    public var headBytes = 64 * 1024

    /// The maximum size in bytes of a request line that a server reads; 16 KiB.
    ///
    /// The size includes its CRLF and an empty line before it. RFC 9112 §3 recommends at least
    /// 8000. Common servers accept 8 to 16 KiB.
    public var requestLineBytes = 16 * 1024

    /// The maximum number of field lines in one head; 128.
    ///
    /// Busy sites send 30 to 60.
    public var fieldCount = 128

    /// The maximum number of interim (1xx) responses before the final one; 32.
    ///
    /// A series of 103 or 102 responses is legal, but an endless series is an attack.
    public var informationalCount = 32

    /// The maximum size of one chunk-size line in bytes, with extensions but without CRLF; 4 KiB.
    public var chunkLineBytes = 4 * 1024

    /// The maximum size of all chunk extensions in one body, in bytes; 16 KiB.
    ///
    /// Otherwise, one-byte chunks with long extensions could carry thousands of bytes for each byte
    /// of content.
    public var chunkExtensionBytes = 16 * 1024

    /// The maximum size of one trailer section in bytes, including its empty line; 16 KiB.
    public var trailerBytes = 16 * 1024

    /// The maximum number of field lines in one trailer section; 64.
    public var trailerCount = 64

    /// The maximum size in bytes of a request body that a server reads; unlimited by default.
    ///
    /// It applies before content decoding. By default there is no limit, because the body is passed
    /// on and not stored.
    public var requestBodyBytes = Int.max

    /// The maximum number of bytes that content decoding may produce for one body; unlimited by
    /// default.
    ///
    /// The reader of the body has its own limit, and ``expansionRatio`` stops decompression bombs.
    public var decodedBytes = Int.max

    /// The maximum number of bytes that content decoding may produce for each byte received; 100.
    ///
    /// Text is compressed by a factor of 3 to 20, and the maximum for deflate is 1032. With several
    /// codings, the limit applies to what each of them produces.
    public var expansionRatio = 100

    /// The number of decoded bytes below which ``expansionRatio`` is not checked; 1 MiB.
    ///
    /// Small bodies of one repeated byte are legitimate and harmless.
    public var expansionFloor = 1024 * 1024

    /// The maximum coded bytes beyond 100 for each byte that content decoding produces; 64 KiB.
    ///
    /// Zeros after gzip data, empty members and empty blocks produce no output, so they never reach
    /// a limit on decoded bytes. Legitimate content has a few dozen such bytes. The limit is
    /// checked for each coding and for all together, every 16 KiB. The error is
    /// ``ExceededLimit/codingOverheadBytes(_:)``.
    public var codingOverheadBytes = 64 * 1024

    /// The maximum number of content codings of one body; 4.
    ///
    /// Legitimate content has one. Each takes 40 KiB of memory. The error is
    /// ``ExceededLimit/codingCount(_:)``.
    public var codingCount = 4

    /// The maximum number of deviations reported for one head or one chunked body; 64.
    ///
    /// It applies at levels that tolerate deviations. Reading continues beyond the limit, and one
    /// more entry with ``Diagnostic/Code/furtherDeviations`` indicates the omitted ones.
    public var diagnosticCount = 64

    /// Whether a malformed Set-Cookie line is removed from a response head (RFC 6265bis §5.6).
    ///
    /// A line is malformed if it contains a control byte. Without this option,
    /// ``Strictness/strict`` and ``Strictness/lenient`` reject a head with NUL there, and `lenient`
    /// replaces or keeps other control bytes. With it, `strict` removes the line unless the byte is
    /// a CR, which is rejected because it may end a line for other readers. `lenient` removes and
    /// reports the line whatever the byte is. ``Strictness/forensic`` always keeps and reports such
    /// lines. HTTPClient sets this option.
    package var dropsMalformedCookies = false

    /// Creates the default limits.
    ///
    /// Set the properties that should differ.
    public init() {}

    /// The default limits.
    public static let `default` = WireLimits()
}
