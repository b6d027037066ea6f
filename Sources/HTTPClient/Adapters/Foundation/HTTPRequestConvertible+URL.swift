#if Foundation
public import FoundationEssentials

extension URL: HTTPRequestConvertible {
    /// A GET of the URL.
    public var httpRequest: HTTPRequest { HTTPRequest(self) }
}
#endif
