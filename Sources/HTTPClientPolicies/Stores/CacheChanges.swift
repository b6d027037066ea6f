internal import SocketTransport
internal import Wire

/// The changes of a cache that forbid storing or using a response.
///
/// A response must not be stored if its URI was invalidated after the lookup of its request (RFC 9111 §4.4), nor if the
/// response to a later lookup is stored already (§4). A response that could not be removed must not be used.
///
/// It knows the changes by this cache object. Other processes that share its directory have their own.
package final class CacheChanges: Sendable {
    private struct State: Sendable {
        /// The number of lookups so far.
        var lookups: UInt64 = 0
        /// The last lookup whose response must not be stored any more, by the URI.
        var outdated: [String: UInt64] = [:]
        /// The same for all URIs.
        var outdatedAll: UInt64 = 0
        /// The URIs whose stored responses could not be removed, and when that was tried.
        var distrusted: [String: HTTPDate] = [:]
        /// The time at which too many removals had failed to remember each.
        var distrustedAll: HTTPDate?

        mutating func outdate(_ uri: String, upTo lookup: UInt64) {
            if outdated.count >= CacheChanges.maxURIs, outdated[uri] == nil {
                (outdated, outdatedAll) = ([:], lookups)
            }
            outdated[uri] = max(outdated[uri] ?? 0, lookup)
        }
    }

    private let state = Locked(State())

    /// The maximum number of URIs in each table.
    ///
    /// Above it, the responses that are on their way are not stored once, or all responses so far are not used.
    private static let maxURIs = 4096

    /// Returns the number of a new lookup; call it before the store is read.
    func nextLookup() -> UInt64 {
        state.withLock { state in
            state.lookups += 1
            return state.lookups
        }
    }

    /// Records that the responses of a URI, or of all, are about to be removed.
    func invalidate(_ uri: String?) {
        state.withLock { state in
            if let uri {
                state.outdate(uri, upTo: state.lookups)
            } else {
                (state.outdated, state.outdatedAll) = ([:], state.lookups)
            }
        }
    }

    /// Records that the response to a lookup is about to be stored.
    func store(_ uri: String, _ lookup: UInt64) {
        state.withLock { $0.outdate(uri, upTo: lookup - 1) }
    }

    /// Returns whether the response to a lookup may be stored.
    func mayStore(_ uri: String, _ lookup: UInt64) -> Bool {
        state.withLock { lookup > max($0.outdatedAll, $0.outdated[uri] ?? 0) }
    }

    /// Records that the responses of a URI could not be removed.
    func failRemoval(_ uri: String, at now: HTTPDate) {
        state.withLock { state in
            if state.distrusted.count < Self.maxURIs {
                state.distrusted[uri] = now
            } else {
                (state.distrusted, state.distrustedAll) = ([:], now)
            }
        }
    }

    /// Returns the entries of a URI that may be used: those received after the last removal that failed.
    func usable(_ entries: [CacheEntry], of uri: String) -> [CacheEntry] {
        guard !entries.isEmpty else { return entries }
        let limit = state.withLock { state -> HTTPDate? in
            guard !state.distrusted.isEmpty || state.distrustedAll != nil else { return nil }
            return [state.distrusted[uri], state.distrustedAll].compactMap { $0 }.max()
        }
        guard let limit else { return entries }
        return entries.filter { $0.response.responseTime > limit }
    }
}
