package import Wire

/// The rules for updating stored responses: after a 304, after a HEAD, and with parts (RFC 9111 §3.1, §3.2, §4.3).
package enum CacheUpdate {
    /// Returns whether a 304 confirms the stored response whose validators the request contained (RFC 9111 §4.3.4).
    ///
    /// If the 304 has an entity tag, its Last-Modified does not count. A 304 without a validator confirms the response,
    /// also if that one has a validator: origins often omit it, and no other response was asked for.
    ///
    /// - Returns: false if the 304 is about another response; the request must be sent again without conditions.
    package static func confirms(_ response: ResponseHead, _ stored: StoredResponse) -> Bool {
        let validators = CacheValidators(response.headers)
        if validators.isEmpty { return true }
        // A server may leave the tag out of a 304; then the date is all that it confirms.
        if validators.entityTag == nil {
            return stored.validators.lastModified == validators.lastModified
        }
        return validators.isStrong
            ? stored.validators.isSameStrong(as: validators)
            : stored.validators.isSameWeak(as: validators)
    }

    /// The consequence of the response to a HEAD (§4.3.5).
    package enum HeadConsequence: Sendable, Hashable {
        /// The fields of the stored response are updated.
        case update
        /// The representation has changed: the stored response must not be used any more.
        case invalidate
        /// The response says nothing about the stored one.
        case ignore
    }

    /// Decides what the response to a HEAD means for a stored response that matches the request.
    ///
    /// Only a 200 counts. Its validators and its Content-Length must be equal to the stored ones, as far as the HEAD
    /// has them, and a stored response with another status than 200, 203 and 206 is not that representation any more.
    package static func consequence(
        ofHead response: ResponseHead,
        for stored: StoredResponse
    ) -> HeadConsequence {
        guard response.status == .ok, !ResponseDirectives(response.headers).isNoStore else {
            return .ignore
        }
        guard [200, 203, 206].contains(stored.head.status.code) else { return .invalidate }
        let validators = CacheValidators(response.headers)
        if let tag = validators.entityTag {
            guard let other = stored.validators.entityTag, other.matches(tag, by: .weak) else {
                return .invalidate
            }
        }
        if let date = validators.lastModified, date != stored.validators.lastModified {
            return .invalidate
        }
        if let length = response.headers.contentLength, length != stored.completeLength {
            return .invalidate
        }
        return .update
    }

    /// Returns a stored response with the fields of a 304, or of a 200 to a HEAD (§3.2).
    ///
    /// - Parameters:
    ///   - stored: the stored response.
    ///   - response: the head with newer fields.
    ///   - request: the fields of the request that `response` answers; they become the variant.
    ///   - requestTime: the time this request was sent.
    ///   - responseTime: the time its response was received.
    /// - Returns: nil if the new fields no longer permit storing: `no-store`, or Vary with `*`. The response may answer
    ///   the current request, and is removed.
    package static func updated(
        _ stored: StoredResponse,
        with response: ResponseHead,
        request: HTTPHeaders,
        requestTime: HTTPDate,
        responseTime: HTTPDate
    ) -> StoredResponse? {
        let head = confirmedHead(of: stored, by: response)
        let directives = ResponseDirectives(head.headers)
        guard !directives.isNoStore || directives.isMustUnderstand,
            let variant = CacheVariant(head.headers, selectedBy: request)
        else { return nil }
        return StoredResponse(
            head,
            variant: variant,
            content: stored.content,
            requestTime: requestTime,
            responseTime: responseTime
        )
    }

    /// Returns the head of a stored response with the fields of a 304, or of a 200 to a HEAD (§3.2).
    static func confirmedHead(
        of stored: StoredResponse,
        by response: ResponseHead
    ) -> ResponseHead {
        var head = stored.head
        head.headers = merged(stored.head.headers, with: response.headers)
        return head
    }

    /// Returns the head of a combination of a stored response with a received 206 (§3.4).
    ///
    /// Newer fields replace stored ones. A whole representation gets the status 200; Content-Length and Content-Range
    /// describe the combined bytes.
    ///
    /// - Returns: nil if the parts are not combined.
    package static func combinedHead(
        of stored: ResponseHead,
        with received: ResponseHead,
        _ combination: CacheRanges.Combination
    ) -> ResponseHead? {
        var headers = merged(stored.headers, with: received.headers)
        // It is the digest of the part.
        headers.remove(DigestFields.contentDigest)
        switch combination {
        case .gap, .different: return nil
        case .whole(let length):
            headers.remove(.contentRange)
            headers.replace(.contentLength, with: "\(length)")
            return ResponseHead(version: stored.version, status: .ok, headers: headers)
        case .part(let positions, let length):
            let range = ContentRange.part(positions, of: length)
            headers.replace(.contentRange, with: range.description)
            headers.replace(.contentLength, with: "\(range.length)")
            return ResponseHead(version: stored.version, status: .partialContent, headers: headers)
        }
    }

    // MARK: - Fields

    /// Returns the fields that may be stored (§3.1).
    ///
    /// Fields for one connection or one proxy are removed, and those that Connection names. Connection cannot remove
    /// the fields that the cache itself reads, because a sender must not name them (RFC 9110 §7.6.1).
    package static func storedFields(of headers: HTTPHeaders) -> HTTPHeaders {
        var fields = headers
        for name in unstored { fields.remove(name) }
        for option in headers.values(.connection).flatMap({ ListSyntax.elements(of: $0) }) {
            let name = FieldName(option)
            if !essential.contains(name) { fields.remove(name) }
        }
        return fields
    }

    /// Replaces stored fields by newer ones, except those that describe the stored bytes (§3.2).
    ///
    /// Content-Length, Content-Encoding, Content-Range and Content-Digest stay: the bytes did not change, and servers send other values
    /// in a 304. An Age of the stored response does not survive, because it describes the older response. Every other
    /// field is replaced, including Content-Type.
    private static func merged(_ stored: HTTPHeaders, with newer: HTTPHeaders) -> HTTPHeaders {
        var fields = stored
        fields.remove(.age)
        if !newer.contains(.date) { fields.remove(.date) }
        var newer = storedFields(of: newer)
        for name in bound { newer.remove(name) }
        fields.merge(newer)
        return fields
    }

    private static let unstored: [FieldName] = [
        .connection, .keepAlive, .te, .transferEncoding, .upgrade, "Proxy-Connection",
        .proxyAuthenticate, "Proxy-Authentication-Info", .proxyAuthorization,
    ]

    private static let essential: [FieldName] = [
        .age, .cacheControl, .contentEncoding, .contentLength, .contentRange, .contentType, .date,
        .etag, .expires, .lastModified, .vary,
    ]

    private static let bound: [FieldName] = [
        DigestFields.contentDigest, .contentEncoding, .contentLength, .contentRange,
    ]
}

extension StoredResponse {
    /// The length of the whole representation in bytes.
    fileprivate var completeLength: Int {
        switch content {
        case .whole(let length): length
        case .part(_, let length): length
        }
    }
}
