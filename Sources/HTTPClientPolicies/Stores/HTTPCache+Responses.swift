internal import SocketTransport
internal import Wire

extension HTTPCache {
    /// What the cache knows about one request.
    ///
    /// A class, because exchanges are copied, and most have none.
    package final class Lookup: Sendable {
        /// The key of the URL.
        package let uri: String
        package let url: URI
        /// The head as sent, without the conditions of the cache.
        package let request: RequestHead
        package let mode: HTTPRequest.CacheMode
        package let entries: [CacheEntry]
        package let decision: CacheDecision
        /// The time of the decision, which counts as the time the request was sent.
        package let time: HTTPDate
        /// The number of the lookup in ``CacheChanges``.
        package let number: UInt64
        /// The flight of the request, for which others wait; nil for none.
        package let flight: CacheFlight?

        package init(
            _ request: RequestHead,
            _ url: URI,
            uri: String,
            _ mode: HTTPRequest.CacheMode,
            _ entries: [CacheEntry],
            _ decision: CacheDecision,
            _ time: HTTPDate,
            _ number: UInt64,
            _ flight: CacheFlight? = nil
        ) {
            self.uri = uri
            self.number = number
            self.url = url
            self.request = request
            self.mode = mode
            self.entries = entries
            self.decision = decision
            self.time = time
            self.flight = flight
        }

        /// Whether the decision has shown that nothing of the request forbids storing its response.
        var permitsStoring: Bool {
            switch decision {
            case .fetch(.notStored), .fetch(.varyMiss): request.method == .get
            default: false
            }
        }

        /// The entry that answers without a question to the origin; nil if none does.
        package var answer: CacheEntry? {
            switch decision {
            case .fresh(let reuse), .stale(let reuse, _): entries[reuse.index]
            case .revalidate, .fetch, .unavailable: nil
            }
        }

        /// The entry that the decision uses; nil if it uses none.
        package var entry: CacheEntry? {
            switch decision {
            case .fresh(let reuse), .stale(let reuse, _): entries[reuse.index]
            case .revalidate(let revalidation): entries[revalidation.index]
            case .fetch, .unavailable: nil
            }
        }
    }

    /// Looks for a stored response; it may wait for a disk.
    package func lookup(
        _ request: RequestHead,
        _ url: URI,
        _ mode: HTTPRequest.CacheMode,
        at now: HTTPDate
    ) -> Lookup {
        let uri = Self.key(url)
        let number = changes.nextLookup()
        let isAnswerable = request.method == .get || request.method == .head
        let entries =
            isAnswerable
            ? attempt { () throws(CacheStoreError) in try store.entries(of: uri) } : nil
        let found = changes.usable(entries ?? [], of: uri)
        let decision = CacheRules.decision(
            on: request,
            mode: mode,
            among: found.map(\.response),
            at: now
        )
        return Lookup(request, url, uri: uri, mode, found, decision, now, number)
    }

    /// Whether a response of a URL is stored; it may wait for a disk.
    package func hasResponse(to url: URI) -> Bool {
        let entries = attempt { () throws(CacheStoreError) in
            try store.entries(of: Self.key(url))
        }
        return entries?.isEmpty == false
    }

    /// Opens the content of an entry, and verifies it; nil if it cannot be used.
    package func content(of entry: CacheEntry) -> CacheContent? {
        let content = attempt { () throws(CacheStoreError) in try store.open(entry) }
        guard let content = content ?? nil else { return nil }
        // Verify the whole content first, although each chunk is verified again when it is read: the origin can still
        // answer now, and not when the head of the response was delivered.
        if attempt({ () throws(CacheStoreError) in try content.verify() }) != nil {
            return content
        }
        _ = attempt { () throws(CacheStoreError) in try store.remove(entry) }
        return nil
    }

    /// Begins to store a response.
    ///
    /// - Parameters:
    ///   - head: the head of the response.
    ///   - lookup: its request.
    ///   - now: the time of receipt.
    /// - Returns: the recording; the reason if the response is not stored.
    package func record(
        _ head: ResponseHead,
        to lookup: Lookup,
        at now: HTTPDate
    ) -> Result<CacheRecording, CacheRefusal> {
        let refusal =
            lookup.permitsStoring
            ? CacheRules.refusal(of: head, toStorable: lookup.request, at: now)
            : CacheRules.refusal(of: head, to: lookup.request, mode: lookup.mode, at: now)
        if let refusal { return .failure(CacheRefusal(refusal.rawValue)) }
        guard let variant = Self.variant(of: head, to: lookup.request) else {
            return .failure(CacheRefusal("vary"))
        }
        guard !variant.isForOneRequest else { return .failure(CacheRefusal("authorization")) }
        if head.status == .partialContent { return recordPart(head, variant, to: lookup, at: now) }
        let length = head.headers.contentLength
        let writer = attempt { () throws(CacheStoreError) in
            try store.write(lookup.uri, expecting: length)
        }
        guard let writer else { return .failure(CacheRefusal("store")) }
        return .success(CacheRecording(self, writer, head, variant, lookup, now))
    }

    /// Begins to store a 206, combined with the stored response that it completes (RFC 9111 §3.4).
    ///
    /// A part replaces a stored response of the same variant that it does not complete. It is not stored if the
    /// combination would copy more than 4 MiB for less than a quarter of that: many small parts of a large file
    /// would take a time that grows with the square of its size.
    private func recordPart(
        _ head: ResponseHead,
        _ variant: CacheVariant,
        to lookup: Lookup,
        at now: HTTPDate
    ) -> Result<CacheRecording, CacheRefusal> {
        guard let (positions, length) = CacheRanges.part(in: head.headers) else {
            return .failure(CacheRefusal("partial"))
        }
        let old = lookup.entries.last { $0.response.variant == variant }
        let combination = old.map { CacheRanges.combination(of: $0.response, with: head) }
        if combination == .whole(length: length), case .whole? = old?.response.content {
            return .failure(CacheRefusal("stored"))
        }
        if let old, old.length > 4 << 20, positions.count < old.length / 4,
            combination != .gap, combination != .different
        {
            return .failure(CacheRefusal("partial"))
        }
        var addition = CacheRecording.Addition(content: .part(positions, of: length))
        var head = head
        if let old, let combination, let content = content(of: old),
            let combined = CacheUpdate.combinedHead(of: old.response.head, with: head, combination),
            case .part(let stored, _) = old.response.content
        {
            head = combined
            switch combination {
            case .whole(let length): addition.content = .whole(length: length)
            case .part(let positions, let length): addition.content = .part(positions, of: length)
            case .gap, .different: break
            }
            // Positions in the stored content.
            let before = 0..<max(positions.lowerBound - stored.lowerBound, 0)
            let end = min(max(positions.upperBound + 1 - stored.lowerBound, 0), stored.count)
            addition.before = CachedBody(content, before)
            addition.after = CachedBody(content, end..<stored.count)
        }
        let writer = attempt { () throws(CacheStoreError) in
            try store.write(lookup.uri, expecting: addition.content.count)
        }
        guard let writer else { return .failure(CacheRefusal("store")) }
        return .success(CacheRecording(self, writer, head, variant, lookup, now, addition))
    }

    /// Updates the stored response that a 304 confirms.
    ///
    /// - Returns: the entry, which answers the request; nil if the 304 is about another response, so that the request
    ///   must be sent again without conditions.
    package func confirm(
        by head: ResponseHead,
        _ lookup: Lookup,
        at now: HTTPDate
    ) -> CacheEntry? {
        guard let entry = lookup.entry, CacheUpdate.confirms(head, entry.response) else {
            return nil
        }
        return update(entry, with: head, lookup, at: now)
    }

    /// Applies the response of a HEAD to the stored responses that match it (RFC 9111 §4.3.5).
    ///
    /// A request that forbids storing can remove them, but its response changes no fields.
    package func applyHead(_ head: ResponseHead, _ lookup: Lookup, at now: HTTPDate) {
        let mayStore =
            lookup.mode.applied(to: lookup.request.headers) != .noStore
            && !RequestDirectives(lookup.request.headers).isNoStore
        for entry in lookup.entries where entry.response.variant.matches(lookup.request.headers) {
            switch CacheUpdate.consequence(ofHead: head, for: entry.response) {
            case .ignore: break
            case .update where mayStore: _ = update(entry, with: head, lookup, at: now)
            case .update: break
            case .invalidate:
                _ = attempt { () throws(CacheStoreError) in try store.remove(entry) }
            }
        }
    }

    /// Removes the stored responses that the response to a method that is not safe invalidates (RFC 9111 §4.4).
    ///
    /// If the store cannot remove them, they are not used any more.
    package func invalidate(after head: ResponseHead, _ lookup: Lookup, at now: HTTPDate) {
        for url in CacheInvalidation.targets(of: head, to: lookup.request.method, lookup.url) {
            let uri = Self.key(url)
            changes.invalidate(uri)
            let done: Void? = attempt { () throws(CacheStoreError) in
                try store.removeAll(of: uri)
            }
            if done == nil { changes.failRemoval(uri, at: now) }
        }
    }

    fileprivate func mayStore(_ lookup: Lookup) -> Bool {
        changes.mayStore(lookup.uri, lookup.number)
    }

    /// Returns the entry with newer fields, which answers the current request even if it may not be stored any more.
    private func update(
        _ entry: CacheEntry,
        with head: ResponseHead,
        _ lookup: Lookup,
        at now: HTTPDate
    ) -> CacheEntry {
        let updated = CacheUpdate.updated(
            entry.response,
            with: head,
            request: lookup.request.headers,
            requestTime: lookup.time,
            responseTime: now
        )
        // The newer fields also answer if the response may not be stored, or if the store fails.
        let answer = entry.answering(by: head, lookup.time, now)
        guard let updated, let variant = Self.variant(of: updated.head, to: lookup.request) else {
            _ = attempt { () throws(CacheStoreError) in try store.remove(entry) }
            return answer
        }
        let stored = StoredResponse(
            updated.head,
            variant: variant,
            content: updated.content,
            requestTime: updated.requestTime,
            responseTime: updated.responseTime
        )
        changes.store(lookup.uri, lookup.number)
        let kept = attempt { () throws(CacheStoreError) in try store.update(entry, to: stored) }
        return kept.flatMap { $0 } ?? answer
    }

    /// Returns the request fields that select a response; nil if no request can select it.
    ///
    /// A response for one user is selected by Authorization and Cookie too, because a client may send requests for
    /// several users.
    private static func variant(of head: ResponseHead, to request: RequestHead) -> CacheVariant? {
        guard let variant = CacheVariant(head.headers, selectedBy: request.headers) else {
            return nil
        }
        let directives = ResponseDirectives(head.headers)
        let isForOneUser =
            directives.isPrivate
            || request.headers.contains(.authorization) && !directives.isPublic
        guard isForOneUser else { return variant }
        var selectors = variant.selectors
        for name in [FieldName.authorization, .cookie]
        where !selectors.contains(where: { $0.name == name }) {
            selectors.append(.init(name: name, value: request.headers.combined(name)))
        }
        return CacheVariant(selectors)
    }
}

/// The reason why a response is not stored.
package struct CacheRefusal: Error {
    package let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// The storing of one response, as its body passes.
package final class CacheRecording: Sendable {
    private let cache: HTTPCache
    private let writer: any CacheWriter
    private let head: ResponseHead
    private let variant: CacheVariant
    /// The lookup with the time of the request, and its flight, which ends with the recording.
    private let lookup: HTTPCache.Lookup
    private let responseTime: HTTPDate
    /// What a 206 adds to; nil for another response.
    private let addition: Addition?
    /// The number of bytes so far; nil after the store refused some, and after the end.
    private let count = Locked<Int?>(0)
    private let storing = Locked(false)

    /// The stored bytes around the content of a 206.
    struct Addition: Sendable {
        /// All bytes that are stored together.
        var content: StoredResponse.Content
        /// The stored bytes before those of the 206; nil for none.
        var before: CachedBody?
        /// The stored bytes behind those of the 206; nil for none.
        var after: CachedBody?
    }

    init(
        _ cache: HTTPCache,
        _ writer: any CacheWriter,
        _ head: ResponseHead,
        _ variant: CacheVariant,
        _ lookup: HTTPCache.Lookup,
        _ responseTime: HTTPDate,
        _ addition: Addition? = nil
    ) {
        self.cache = cache
        self.writer = writer
        self.head = head
        self.variant = variant
        self.lookup = lookup
        self.responseTime = responseTime
        self.addition = addition
        if let before = addition?.before { append(before) }
    }

    deinit {
        guard count.withLock({ $0 }) != nil else { return }
        discard()
    }

    /// Discards what was stored of a body that the caller has abandoned.
    ///
    /// Deleting a large file can take long, and the last reference may be released on an event loop.
    private func discard() {
        let writer = writer
        guard cache.store.mayBlock else { return writer.discard() }
        CleanupThread.run { writer.discard() }
    }

    /// Stores bytes that are stored already.
    private func append(_ stored: CachedBody) {
        do throws(HTTPError) {
            while true {
                let bytes = try stored.next()
                guard !bytes.isEmpty else { return }
                append(bytes)
            }
        } catch {
            // The stored content is damaged; the response of this call is not.
            cache.recordFailure("combining a part: \(error)")
            count.withLock { $0 = nil }
            discard()
        }
    }

    /// Whether storing may wait for a disk.
    var mayBlock: Bool { cache.store.mayBlock }

    /// Stores bytes of the body; after an error of the store, nothing more is stored.
    package func append(_ bytes: [UInt8]) {
        guard let before = count.withLock({ $0 }) else { return }
        let isStored =
            cache.attempt { () throws(CacheStoreError) in try writer.append(bytes) } != nil
        count.withLock { $0 = isStored ? before + bytes.count : nil }
    }

    /// Whether ``commit()`` has stored the response.
    package var isStored: Bool { storing.withLock { $0 } }

    /// Whether a response with these trailers may be stored: a digest in them would be missing later.
    package static func mayStore(_ trailers: HTTPHeaders) -> Bool {
        trailers.isEmpty || !DigestFields.all.contains(where: trailers.contains)
    }

    /// Stores the response after its whole body has passed, if ``mayStore(_:)`` permits it.
    package func commit(_ trailers: HTTPHeaders) {
        defer { lookup.flight?.end() }
        guard Self.mayStore(trailers) else { return }
        if let after = addition?.after { append(after) }
        guard let length = count.withLock({ $0.take() }) else { return }
        let response = StoredResponse(
            head,
            variant: variant,
            content: addition?.content ?? .whole(length: length),
            requestTime: lookup.time,
            responseTime: responseTime
        )
        guard cache.mayStore(lookup) else { return writer.discard() }
        cache.changes.store(lookup.uri, lookup.number)
        // The commit fails if the number of bytes is not that of the content.
        let entry = cache.attempt { () throws(CacheStoreError) in try writer.commit(response) }
        guard let entry else { return }
        guard cache.mayStore(lookup) else {
            // Meanwhile the URI was invalidated, or the response to a later request was stored.
            _ = cache.attempt { () throws(CacheStoreError) in try cache.store.remove(entry) }
            return
        }
        storing.withLock { $0 = true }
    }
}

/// A stage that stores the bytes of a body on their way to the caller.
package final class RecordingStage: BodyStage {
    private let recording: CacheRecording

    package init(_ recording: CacheRecording) {
        self.recording = recording
    }

    package var keepsLength: Bool { true }
    package var mayBlock: Bool { recording.mayBlock }

    package func transform(_ chunk: [UInt8]) throws(BodyStageError) -> [UInt8] {
        recording.append(chunk)
        return chunk
    }

    package func finish(_ trailers: HTTPHeaders) throws(BodyStageError) -> [UInt8] { [] }
}

/// The last stage of the client, which commits what the recording stage has stored.
///
/// A body whose digest is wrong, or that cannot be decoded, does not reach its end.
package final class CommitStage: BodyStage {
    private let recording: CacheRecording

    package init(_ recording: CacheRecording) {
        self.recording = recording
    }

    package var keepsLength: Bool { true }
    package var needsValidBody: Bool { true }
    package var mayBlock: Bool { recording.mayBlock }

    package func transform(_ chunk: [UInt8]) throws(BodyStageError) -> [UInt8] { chunk }

    package func finish(_ trailers: HTTPHeaders) throws(BodyStageError) -> [UInt8] {
        recording.commit(trailers)
        return []
    }
}

/// A stage of a stored body that removes the stored response if its content turns out to be unusable.
///
/// The next request then gets the response of the origin.
package final class RemovingStage: BodyStage {
    private let stage: any BodyStage
    private let remove: @Sendable () -> Void
    package let mayBlock: Bool

    package init(
        _ stage: any BodyStage,
        mayBlock: Bool,
        _ remove: @escaping @Sendable () -> Void
    ) {
        self.stage = stage
        self.mayBlock = mayBlock
        self.remove = remove
    }

    package var keepsLength: Bool { stage.keepsLength }
    package var needsValidBody: Bool { stage.needsValidBody }
    package var decodedCount: Int? { stage.decodedCount }
    package var hasMore: Bool { stage.hasMore }

    package func transform(_ chunk: [UInt8]) throws(BodyStageError) -> [UInt8] {
        try checked { () throws(BodyStageError) in try stage.transform(chunk) }
    }

    package func more() throws(BodyStageError) -> [UInt8] {
        try checked { () throws(BodyStageError) in try stage.more() }
    }

    package func finish(_ trailers: HTTPHeaders) throws(BodyStageError) -> [UInt8] {
        try checked { () throws(BodyStageError) in try stage.finish(trailers) }
    }

    private func checked(
        _ work: () throws(BodyStageError) -> [UInt8]
    ) throws(BodyStageError) -> [UInt8] {
        do throws(BodyStageError) {
            return try work()
        } catch {
            if error.kind.isAboutContent { remove() }
            throw error
        }
    }
}

extension HTTPError.Kind {
    /// Whether another content could avoid the error.
    package var isAboutContent: Bool {
        switch self {
        case .codingFailed, .digestMismatch, .digestMissing, .malformedDigest: true
        default: false
        }
    }
}
