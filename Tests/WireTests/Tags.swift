import Testing

extension Tag {
    /// A rule of HTTP semantics.
    @Tag static var rfc9110: Self
    /// A rule of HTTP/1.1.
    @Tag static var rfc9112: Self
    /// A rule of caches.
    @Tag static var rfc9111: Self
    /// A rule of cookies.
    @Tag static var rfc6265: Self
    /// A rule of Content-Disposition.
    @Tag static var rfc6266: Self
    /// A rule of links.
    @Tag static var rfc8288: Self
    /// A rule of URIs.
    @Tag static var rfc3986: Self
}
