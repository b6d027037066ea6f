import Testing

extension Tag {
    /// A rule of HTTP semantics.
    @Tag static var rfc9110: Self
    /// A rule of HTTP/1.1.
    @Tag static var rfc9112: Self
    /// A rule of URIs.
    @Tag static var rfc3986: Self
}
