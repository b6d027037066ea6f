internal import SocketTransport
internal import Wire

/// What happened to the responses of a cache while others were on their way.
///
/// A response must not be stored if its URI was invalidated after its request was sent (RFC 9111 §4.4), nor if the
/// response to a later request is stored already (§4). A response whose removal failed must not be used.
///
/// It knows what this cache object does; the processes that share a directory do not wait for each other.
package final class CacheInvalidations: Sendable {
    /// A moment: that of a lookup.
    package struct Mark: Sendable {
        /// The number of invalidations so far.
        let count: UInt64
        /// The number of the lookup.
        let lookup: UInt64
    }

    private struct State: Sendable {
        var count: UInt64 = 0
        var lookups: UInt64 = 0
        /// The responses that are being stored, by their URI.
        var storing: [String: Storing] = [:]
        /// The count at the last invalidation of a group of URIs; empty before the first one.
        ///
        /// Groups share memory: that another URI of the group was invalidated only prevents storing once.
        var groups: [UInt64] = []
        /// The URIs whose stored responses could not be removed, and when that was tried.
        var distrusted: [String: HTTPDate] = [:]
        /// The time at which too many removals had failed to remember each.
        var distrustedAll: HTTPDate?
    }

    private struct Storing: Sendable {
        /// The number of responses.
        var count = 0
        /// The greatest number of a lookup whose response was stored meanwhile.
        var last: UInt64 = 0
    }

    private let state = Locked(State())

    private static let groupCount = 256
    /// The maximum number of URIs that are remembered because their removal failed.
    private static let maxDistrusted = 1000

    /// Returns a mark for a lookup.
    func next() -> Mark {
        state.withLock { state in
            state.lookups += 1
            return Mark(count: state.count, lookup: state.lookups)
        }
    }

    /// Records that the responses of a URI, or of all, are being removed; call it before they are.
    func begin(_ uri: String?) {
        state.withLock { state in
            state.count += 1
            guard let uri else {
                state.groups = Array(repeating: state.count, count: Self.groupCount)
                return
            }
            if state.groups.isEmpty { state.groups = Array(repeating: 0, count: Self.groupCount) }
            state.groups[Self.group(of: uri)] = state.count
        }
    }

    /// Returns whether the response to a lookup may still be stored.
    func isCurrent(_ uri: String, _ mark: Mark) -> Bool {
        state.withLock { state in
            if state.count != mark.count, state.groups[Self.group(of: uri)] > mark.count {
                return false
            }
            return state.storing[uri]?.last ?? 0 <= mark.lookup
        }
    }

    /// Records that a response of a URI is being stored; call ``endStoring(_:)`` once.
    func beginStoring(_ uri: String) {
        state.withLock { $0.storing[uri, default: Storing()].count += 1 }
    }

    func endStoring(_ uri: String) {
        state.withLock { state in
            guard let storing = state.storing[uri] else { return }
            if storing.count > 1 {
                state.storing[uri]?.count -= 1
            } else {
                state.storing[uri] = nil
            }
        }
    }

    /// Records that the response to a lookup is stored.
    func stored(_ uri: String, _ mark: Mark) {
        state.withLock { state in
            guard let last = state.storing[uri]?.last else { return }
            state.storing[uri]?.last = max(last, mark.lookup)
        }
    }

    /// Records that the responses of a URI could not be removed.
    func fail(_ uri: String, at now: HTTPDate) {
        state.withLock { state in
            if state.distrusted.count < Self.maxDistrusted {
                state.distrusted[uri] = now
            } else {
                state.distrusted = [:]
                state.distrustedAll = now
            }
        }
    }

    /// Returns the entries of a URI that may be used: those received after the last removal that failed.
    func trusted(_ entries: [CacheEntry], of uri: String) -> [CacheEntry] {
        guard !entries.isEmpty else { return entries }
        let limit = state.withLock { state -> HTTPDate? in
            guard !state.distrusted.isEmpty || state.distrustedAll != nil else { return nil }
            return [state.distrusted[uri], state.distrustedAll].compactMap { $0 }.max()
        }
        guard let limit else { return entries }
        return entries.filter { $0.response.responseTime > limit }
    }

    private static func group(of uri: String) -> Int {
        Int(UInt(bitPattern: uri.hashValue) % UInt(groupCount))
    }
}
