internal import SocketTransport
package import Wire

/// Knows the paths of one origin that ask for the same credentials (RFC 7616 §3.3, RFC 7617 §2.2).
package struct ProtectionSpace: Sendable, Hashable {
    /// Begin with a slash.
    private(set) var prefixes: [String] = []

    /// More are not remembered; a path that is forgotten is asked for once more.
    private static let maxPrefixes = 32

    /// Finds the area of a Basic challenge: the directory of what was asked for, and all below.
    package init(basicAt url: URI) {
        let path = url.rootedPath
        prefixes = [String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])]
    }

    /// Finds the area of a Digest challenge: what its domain lists of this origin, else all of it.
    ///
    /// What the domain lists of other origins is left out, as they get no credentials of this one.
    package init(digest domain: String?, at url: URI) {
        let list = domain?.split(separator: " ").prefix(Self.maxPrefixes) ?? []
        guard !list.isEmpty else {
            prefixes = ["/"]
            return
        }
        for text in list {
            guard let reference = try? URI(String(text)) else { continue }
            let uri = url.resolve(reference)
            if uri.origin == url.origin { prefixes.append(uri.rootedPath) }
        }
        // Whoever asks is part of it, whatever it says.
        if matchLength(of: url) == nil { prefixes.append(url.rootedPath) }
    }

    /// Takes up the paths of another.
    mutating func formUnion(_ other: ProtectionSpace) {
        for prefix in other.prefixes where !prefixes.contains(where: { prefix.hasPrefix($0) }) {
            prefixes.append(prefix)
        }
        if prefixes.count > Self.maxPrefixes {
            // The newest ones come first.
            prefixes.removeLast(prefixes.count - Self.maxPrefixes)
        }
    }

    /// Says how much of the URL's path the longest prefix covers, in bytes; nil when it is outside.
    ///
    /// A path with dot segments is outside: where it leads is the server's secret.
    package func matchLength(of url: URI) -> Int? {
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
