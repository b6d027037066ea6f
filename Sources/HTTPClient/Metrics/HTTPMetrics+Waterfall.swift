extension HTTPMetrics {
    /// The steps of every attempt as text: what a person looks at to see where the time went.
    ///
    ///     attempt 1: first, connection 1 to 127.0.0.1:8080, complete
    ///                       from ms       for ms  |----------------------------------------|
    ///       queued                -            -  |                                        |
    ///       dns               0.071        8.402  |#####                                   |
    ///
    /// Each attempt has a line of its own and nine rows, in this order: queued, dns, connect, proxy,
    /// tls, head sent, body sent, first byte (the wait for it), body. A step that did not happen has
    /// hyphens. Times are milliseconds from the start of the call on, cut to microseconds. Columns do
    /// not move unless a call takes longer than a day, there is no colour and no character outside
    /// ASCII, and each line ends with a line feed. Empty when nothing was attempted.
    public var waterfall: String {
        Waterfall.text(attempts.map { Waterfall.Attempt(title: $0.title, steps: $0.steps) })
    }
}

extension HTTPMetrics.Attempt {
    fileprivate var title: String {
        var parts = [reason.name]
        if connectionID != 0 {
            let kept = isReused ? "kept connection" : "connection"
            var place = ""
            if let address = remoteAddress, let port = remotePort {
                place = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
                place = " to \(place):\(port)"
            }
            parts.append("\(kept) \(connectionID)\(place)")
        }
        if let tls, let version = tls.version { parts.append(version.name) }
        return (parts + [outcome.name]).joined(separator: ", ")
    }

    fileprivate var steps: [Range<Duration>?] {
        [
            interval(of: .queue), interval(of: .resolve), interval(of: .connect),
            interval(of: .proxyHandshake), interval(of: .tlsHandshake), interval(of: .sending),
            interval(of: .sendingBody), waiting, receiving,
        ]
    }

    /// From the end of sending until the first byte came, or the attempt failed without one.
    private var waiting: Range<Duration>? {
        guard let sent else { return nil }
        if let firstByte { return sent..<max(sent, firstByte) }
        return interval(of: .responseHead)
    }

    /// From the first byte to the end of the body.
    private var receiving: Range<Duration>? {
        guard let firstByte, let ended else { return nil }
        return firstByte..<max(firstByte, ended)
    }
}
