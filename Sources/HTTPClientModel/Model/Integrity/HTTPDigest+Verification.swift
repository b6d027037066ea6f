extension HTTPDigest {
    /// Whether the client verifies the digest fields of responses (RFC 9530).
    ///
    ///     let response = try await client.send(
    ///         HTTPRequest("https://example.com/report").verifyingDigests(.required)
    ///     )
    ///
    /// Content-Digest is compared with the content as received, before Content-Encoding is decoded.
    /// Repr-Digest is compared too if the content is the whole representation: in a response to a GET
    /// with status 200 or 203. Both fields may be header or trailer fields. Algorithms other than
    /// SHA-256 and SHA-512 are ignored.
    ///
    /// The body is hashed as it arrives. A difference is an error at the end of the body
    /// (``HTTPError/Kind/digestMismatch(expected:received:)``), so a reader of a stream has already got
    /// the bytes. For a collected body they are in ``HTTPError/partialBody``. A malformed field is an
    /// error too.
    ///
    /// Responses to HEAD and those with status 204 or 304 have no content and are not verified.
    public enum Verification: Sendable, Hashable {
        /// Digest fields are ignored.
        case off
        /// Digests are verified if the response has them.
        case ifPresent
        /// The client also asks for digests with Want-Content-Digest and Want-Repr-Digest.
        ///
        /// A server may ignore these fields. Digests are verified if the response has them.
        case requested
        /// As `requested`; a response with status 2xx and content, but without a digest, is an error.
        ///
        /// The error is ``HTTPError/Kind/digestMissing(unsupported:)``.
        case required

        /// Whether the client asks for digests.
        package var asksForDigests: Bool { self == .requested || self == .required }
    }
}

extension HTTPRequest {
    /// Whether the digest fields of the response are verified; nil means the client's
    /// ``HTTPClientSettings/digestVerification``.
    public var digestVerification: HTTPDigest.Verification? {
        get { optionsBox?.settings.digestVerification }
        set { options.digestVerification = newValue }
    }

    /// The digest that the decoded body of the response must have; nil means any.
    ///
    /// It is compared with the bytes that the caller gets, after Content-Encoding is decoded, in
    /// responses with status 2xx. A 206 (Partial Content) and a response without content are not
    /// compared. A difference is ``HTTPError/Kind/digestMismatch(expected:received:)`` at the end of
    /// the body.
    public var expectedDigest: HTTPDigest? {
        get { optionsBox?.settings.expectedDigest }
        set { options.expectedDigest = newValue }
    }
}

extension HTTPRequestProtocol {
    /// Returns a copy that verifies the digest fields of the response; see
    /// ``HTTPDigest/Verification``.
    public func verifyingDigests(_ verification: HTTPDigest.Verification = .ifPresent) -> Self {
        with { $0.digestVerification = verification }
    }

    /// Returns a copy whose response must have a body with this digest
    /// (``HTTPRequest/expectedDigest``).
    public func expectingDigest(_ digest: HTTPDigest) -> Self {
        with { $0.expectedDigest = digest }
    }
}
