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

    init(uri: String, number: UInt64, response: StoredResponse, seal: [UInt8] = []) {
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
