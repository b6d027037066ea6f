public import Wire

extension HTTPResponse {
    /// The format of the body, as Content-Type says; nil when that is missing or malformed.
    public var contentType: MediaType? { headers.contentType }

    /// Where Location leads, resolved against ``url``; nil when it is missing or malformed.
    ///
    /// In a redirect the fragment of ``url`` goes along, unless Location has one (RFC 9110 §10.2.2).
    public var location: URI? { headers.location(from: url, status) }

    /// Finds where a link of this response leads, such as `link("next")` to the next page.
    ///
    /// - Parameter relation: a relation type (RFC 8288 §2.1); its case does not matter.
    /// - Returns: the target of the first such link, resolved against ``url``; nil when there is
    ///   none. Links with an anchor are about other resources, and passed over.
    public func link(_ relation: String) -> URI? { headers.link(relation, from: url) }

    /// A name for a file with this body: that of Content-Disposition, else the last part of the path
    /// of ``url``.
    ///
    /// Either is a stranger's, so it is made safe as ``ContentDisposition/safeFileName`` says: it names
    /// a file in a directory of yours and nothing elsewhere. Nil when nothing is left of it.
    public var suggestedFileName: String? { headers.suggestedFileName(for: url) }
}

extension HTTPStreamedResponse {
    /// The format of the body, as Content-Type says; nil when that is missing or malformed.
    public var contentType: MediaType? { headers.contentType }

    /// Where Location leads, as ``HTTPResponse/location``.
    public var location: URI? { headers.location(from: url, status) }

    /// Finds where a link of this response leads, as ``HTTPResponse/link(_:)``.
    public func link(_ relation: String) -> URI? { headers.link(relation, from: url) }

    /// A name for a file with this body, as ``HTTPResponse/suggestedFileName``.
    public var suggestedFileName: String? { headers.suggestedFileName(for: url) }
}
