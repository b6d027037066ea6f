package import Wire

/// Reads how long a server keeps an idle connection: `Keep-Alive: timeout=5` (RFC 2068 §19.7.1).
package enum KeepAlive {
    /// How long to keep it ourselves, in nanoseconds; nil when the server says nothing usable.
    ///
    /// A second less than announced, or half of what is under two: the server began to count when
    /// its answer left, and a request that meets its close on the way is lost.
    package static func idleNanoseconds(_ headers: HTTPHeaders) -> Int64? {
        guard headers.contains(.keepAlive), let value = headers[.keepAlive] else { return nil }
        for element in ListSyntax.elements(of: value) {
            let parts = element.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "timeout",
                case .value(let seconds) = Digits.decimal(String(parts[1]), upTo: 1 << 30)
            else { continue }
            let announced = Int64(seconds) * 1_000_000_000
            return announced >= 2_000_000_000 ? announced - 1_000_000_000 : announced / 2
        }
        return nil
    }
}
