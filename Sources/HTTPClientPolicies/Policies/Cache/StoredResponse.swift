package import Wire

/// A response in the cache, as far as the rules need it.
///
/// The fields are parsed once, so a decision only compares numbers. A class, because every lookup copies references to
/// the stored responses of a URL.
package final class StoredResponse: Sendable {
    /// The part of the representation that is stored.
    package enum Content: Sendable, Hashable {
        /// All of it; the length is in bytes, before decoding.
        case whole(length: Int)
        /// The given positions, both inclusive, of a representation with a known length.
        case part(ClosedRange<Int>, of: Int)
    }

    /// The head, without the fields that must not be stored.
    package let head: ResponseHead
    /// The request fields that select the response.
    package let variant: CacheVariant
    /// The stored part of the content.
    package let content: Content
    /// The time the request was sent.
    package let requestTime: HTTPDate
    /// The time the response was received.
    package let responseTime: HTTPDate

    package let directives: ResponseDirectives
    package let freshness: CacheFreshness
    package let validators: CacheValidators

    /// Creates a value from a head and the times of its exchange.
    ///
    /// - Parameters:
    ///   - head: the head as received or as stored; fields that must not be stored are removed.
    ///   - variant: the request fields that select the response.
    ///   - content: the stored part.
    ///   - requestTime: the time the request was sent.
    ///   - responseTime: the time the response was received.
    package init(
        _ head: ResponseHead,
        variant: CacheVariant = CacheVariant(),
        content: Content,
        requestTime: HTTPDate,
        responseTime: HTTPDate
    ) {
        var head = head
        head.headers = CacheUpdate.storedFields(of: head.headers)
        self.head = head
        self.variant = variant
        self.content = content
        self.requestTime = requestTime
        self.responseTime = responseTime
        directives = ResponseDirectives(head.headers)
        freshness = CacheFreshness(
            head,
            directives,
            requestTime: requestTime,
            responseTime: responseTime
        )
        validators = CacheValidators(head.headers)
    }

    /// Whether the response is more recent than another: by Date, then by the time of receipt (RFC 9111 §4.1).
    func isNewer(than other: StoredResponse) -> Bool {
        (freshness.date, responseTime) > (other.freshness.date, other.responseTime)
    }
}

extension StoredResponse: Hashable {
    package static func == (one: StoredResponse, other: StoredResponse) -> Bool {
        one === other
            || one.head == other.head && one.variant == other.variant
                && one.content == other.content && one.requestTime == other.requestTime
                && one.responseTime == other.responseTime
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(head)
        hasher.combine(variant)
        hasher.combine(responseTime)
    }
}
