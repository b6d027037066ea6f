internal import Wire

/// A stored response.
package struct CacheEntry: Sendable, Hashable {
    /// The absolute URI without a fragment.
    package let uri: String
    /// The number of the content; two contents of a URI have different numbers.
    package let number: UInt64
    package let response: StoredResponse
    /// The digest that the content must have; empty in memory.
    let seal: [UInt8]

    /// The length of the stored content in bytes.
    package var length: Int { response.content.count }

    package init(uri: String, number: UInt64, response: StoredResponse, seal: [UInt8] = []) {
        self.uri = uri
        self.number = number
        self.response = response
        self.seal = seal
    }

    /// Returns the entry with another head.
    ///
    /// - Throws: `.lengthMismatch` if `response` describes another part of the content.
    func updated(to response: StoredResponse) throws(CacheStoreError) -> CacheEntry {
        guard response.content == self.response.content else {
            throw .lengthMismatch(stored: length, described: response.content.count)
        }
        return CacheEntry(uri: uri, number: number, response: response, seal: seal)
    }

    /// Returns the entry with the fields of a response that confirms it, whether or not they may be stored.
    func answering(
        by head: ResponseHead,
        _ requestTime: HTTPDate,
        _ responseTime: HTTPDate
    ) -> CacheEntry {
        let confirmed = StoredResponse(
            CacheUpdate.confirmedHead(of: response, by: head),
            variant: response.variant,
            content: response.content,
            requestTime: requestTime,
            responseTime: responseTime
        )
        return CacheEntry(uri: uri, number: number, response: confirmed, seal: seal)
    }

    /// Checks that a response describes the appended bytes.
    ///
    /// The Content-Length of a response without content, such as 204, does not count.
    static func check(_ response: StoredResponse, has length: Int) throws(CacheStoreError) {
        let described = response.content.count
        guard described == length else {
            throw .lengthMismatch(stored: length, described: described)
        }
        let fields = response.head.headers
        guard fields.contains(.contentLength), response.head.status != 204 else { return }
        guard fields.contentLength == length else {
            throw .lengthMismatch(stored: length, described: fields.contentLength ?? 0)
        }
    }
}

extension StoredResponse.Content {
    /// The number of stored bytes.
    package var count: Int {
        switch self {
        case .whole(let length): length
        case .part(let positions, _): positions.count
        }
    }
}

extension CacheEntry {
    /// Returns the head of the response that the entry gives, and the positions of its body in the stored content.
    package func answer(_ method: HTTPMethod, _ reuse: CacheReuse) -> (ResponseHead, Range<Int>) {
        var head = response.head
        for name in reuse.withheldFields { head.headers.remove(name) }
        head.headers.replace(.age, with: "\(reuse.age)")
        var range = 0..<length
        switch reuse.content {
        case .whole, .forward: break
        case .part(let positions, let length):
            range = response.positions(of: positions)
            head = head.part(
                ContentRange.part(positions.lowerBound...(positions.upperBound - 1), of: length)
            )
        case .unsatisfiable(let length):
            range = 0..<0
            head.status = .rangeNotSatisfiable
            head.headers.remove(DigestFields.contentDigest)
            head.headers.replace(.contentRange, with: "bytes */\(length)")
            head.headers.replace(.contentLength, with: "0")
        }
        return (head, method == .head ? 0..<0 : range)
    }
}

extension StoredResponse {
    /// Returns the positions in the stored content of positions in the representation.
    fileprivate func positions(of range: Range<Int>) -> Range<Int> {
        guard case .part(let stored, _) = content else { return range }
        return range.lowerBound - stored.lowerBound..<range.upperBound - stored.lowerBound
    }
}

extension ResponseHead {
    /// Returns the head of a part of this response.
    fileprivate func part(_ range: ContentRange) -> ResponseHead {
        var head = self
        head.status = .partialContent
        // It is the digest of the stored content (RFC 9530 §2).
        head.headers.remove(DigestFields.contentDigest)
        head.headers.replace(.contentRange, with: range.description)
        head.headers.replace(.contentLength, with: "\(range.length)")
        return head
    }
}
