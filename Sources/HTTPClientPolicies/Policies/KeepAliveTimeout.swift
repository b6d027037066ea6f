package import Wire

/// A reader of the server's idle timeout: `Keep-Alive: timeout=5` (RFC 2068 §19.7.1).
package enum KeepAliveTimeout {
    /// Returns how long the client keeps the connection, in nanoseconds; nil without a usable value.
    ///
    /// The result is one second less than announced, or half of a value under two seconds. The server
    /// began to count when it sent its response, and a request that crosses the server's close is lost.
    package static func idleNanoseconds(_ headers: HTTPHeaders) -> Int64? {
        guard headers.contains(.keepAlive), let value = headers[.keepAlive] else { return nil }
        for element in ListSyntax.elements(of: value) {
            let parts = element.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, String(parts[0]).lowercasedASCII == "timeout",
                case .value(let seconds) = Digits.decimal(String(parts[1]), upTo: 1 << 30)
            else { continue }
            let announced = Int64(seconds) * 1_000_000_000
            return announced >= 2_000_000_000 ? announced - 1_000_000_000 : announced / 2
        }
        return nil
    }
}
