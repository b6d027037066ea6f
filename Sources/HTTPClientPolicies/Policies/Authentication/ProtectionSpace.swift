internal import SocketTransport
package import Wire

/// The paths of one origin that require the same credentials (RFC 7616 §3.3, RFC 7617 §2.2).
///
/// A proxy is a single space, because its credentials do not depend on the URL.
package struct ProtectionSpace: Sendable, Hashable {
    /// Path prefixes that begin with a slash.
    private(set) var prefixes: [String] = []

    /// The maximum number of prefixes; a request to a path that was removed is challenged again.
    private static let maxPrefixes = 32

    /// Creates the space of a Basic challenge: the directory of the request, and everything below.
    package init(basicAt url: URI?) {
        guard let url else {
            prefixes = ["/"]
            return
        }
        let path = url.rootedPath
        prefixes = [String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])]
    }

    /// Creates the space of a Digest challenge: the URIs of this origin in `domain`.
    ///
    /// Without a `domain` it is the whole origin. URIs of other origins are ignored, because those
    /// origins do not get credentials of this one. A proxy's `domain` is ignored too.
    package init(digest domain: String?, at url: URI?) {
        let list = domain?.split(separator: " ").prefix(Self.maxPrefixes) ?? []
        guard let url, !list.isEmpty else {
            prefixes = ["/"]
            return
        }
        for text in list {
            guard let reference = try? URI(String(text)) else { continue }
            let uri = url.resolve(reference)
            if uri.origin == url.origin { prefixes.append(uri.rootedPath) }
        }
        // The requested URL is part of the space, whatever the challenge lists.
        if matchLength(of: url) == nil { prefixes.append(url.rootedPath) }
    }

    /// Adds the paths of another space.
    mutating func formUnion(_ other: ProtectionSpace) {
        for prefix in other.prefixes where !prefixes.contains(where: { prefix.hasPrefix($0) }) {
            prefixes.append(prefix)
        }
        if prefixes.count > Self.maxPrefixes {
            // The newest prefixes are first.
            prefixes.removeLast(prefixes.count - Self.maxPrefixes)
        }
    }

    /// Returns how many bytes of the path of a request the longest prefix covers; nil when it is outside.
    func matchLength(of request: ProtectedRequest) -> Int? {
        guard let url = request.url else { return 0 }
        return matchLength(of: url)
    }

    /// Returns how many bytes of the URL's path the longest prefix covers; nil when it is outside.
    ///
    /// A path with dot segments is outside, because only the server knows which resource it names.
    func matchLength(of url: URI) -> Int? {
        let path = url.rootedPath
        guard !path.hasSubstring("/."), !path.hasSubstring("/%2e"), !path.hasSubstring("/%2E")
        else { return nil }
        return prefixes.lazy.filter { path.utf8.starts(with: $0.utf8) }.map(\.utf8.count).max()
    }
}

extension URI {
    fileprivate var rootedPath: String {
        let path = path
        return path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
    }
}
