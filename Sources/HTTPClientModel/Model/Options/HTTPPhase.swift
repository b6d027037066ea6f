/// A phase of a call.
@nonexhaustive public enum HTTPPhase: Sendable, Hashable {
    /// Checking the request; nothing has been sent yet.
    case preparing
    /// Waiting for a turn in an ``HTTPClientQueue``, or for a connection from the pool.
    case queue
    /// Resolving the host name.
    case resolve
    /// Opening the TCP connection.
    case connect
    /// Connecting to the origin through a proxy.
    case proxyHandshake
    /// Performing the TLS handshake.
    case tlsHandshake
    /// Resolving, connecting and TLS together: the phase of the timeout ``HTTPTimeouts/establish``.
    case establish
    /// Sending the request, or only its head if the body is sent separately.
    case sending
    /// Sending the body of the request.
    case sendingBody
    /// Waiting for the head of the response.
    case responseHead
    /// Receiving the body.
    case body
    /// Handling the response or failure: redirects, interceptors, validators and retries.
    case validating
    /// Decoding the received body.
    case decoding
    /// Sending and receiving: the phase of ``HTTPTimeouts/minimumThroughput``.
    case throughput
    /// Transferring bytes over a connection that no longer carries HTTP.
    case upgraded
    /// The whole call: the phase of the timeout ``HTTPTimeouts/total``.
    case total
}

// To add a phase, add it to the tables below, to `HTTPMetrics.Attempt.interval(of:)` and, if it has a timeout, to
// `HTTPTimeouts`. The tests are `TimeoutTests` and `TimelineTests`.

extension HTTPPhase {
    /// Whether a connection is being opened.
    var isOpening: Bool { progress == .connecting }

    /// The phase of progress that the phase of an attempt belongs to; nil if there is none.
    package var progress: HTTPProgress.Phase? {
        switch self {
        case .queue: .queued
        case .resolve, .connect, .proxyHandshake, .tlsHandshake, .establish: .connecting
        case .sending, .sendingBody: .sending
        case .responseHead: .waiting
        case .body: .receiving
        case .preparing, .validating, .decoding, .throughput, .upgraded, .total: nil
        }
    }

    /// The phases of an attempt in their order, with the names of their rows in a waterfall.
    package static let rows: [(phase: HTTPPhase, name: String)] = [
        (.queue, "queued"), (.resolve, "dns"), (.connect, "connect"), (.proxyHandshake, "proxy"),
        (.tlsHandshake, "tls"), (.sending, "head sent"), (.sendingBody, "body sent"),
        (.responseHead, "first byte"), (.body, "body"),
    ]

    /// The timings of HAR 1.2.
    package enum ArchiveTiming: Sendable {
        case blocked
        case dns
        case connect
        /// It is a part of `connect`.
        case ssl
        case send
        case wait
        case receive
    }

    /// The timing of HAR that the phase belongs to; nil for a phase that is not a part of an attempt.
    package var archiveTiming: ArchiveTiming? {
        switch self {
        case .queue: .blocked
        case .resolve: .dns
        case .connect, .proxyHandshake: .connect
        case .tlsHandshake: .ssl
        case .sending, .sendingBody: .send
        case .responseHead: .wait
        case .body: .receive
        case .preparing, .establish, .validating, .decoding, .throughput, .upgraded, .total: nil
        }
    }

    /// Returns the settings that end the phase, with their values; none if no setting of a duration ends it.
    package func settings(_ timeouts: PhaseTimeouts) -> [(setting: String, limit: Int64)] {
        switch self {
        case .queue: [("queue", timeouts.queue)]
        case .resolve: [("resolve", timeouts.resolve)]
        case .connect, .proxyHandshake: [("connect", timeouts.connect)]
        case .tlsHandshake: [("tlsHandshake", timeouts.tlsHandshake)]
        case .establish: [("establish", timeouts.establish)]
        case .sending: [("requestHead", timeouts.requestHead), ("writeIdle", timeouts.writeIdle)]
        case .sendingBody:
            [("requestBody", timeouts.requestBody), ("writeIdle", timeouts.writeIdle)]
        case .responseHead: [("responseHead", timeouts.responseHead)]
        case .body: [("readIdle", timeouts.readIdle)]
        case .total: [("total", timeouts.total)]
        case .preparing, .validating, .decoding, .throughput, .upgraded: []
        }
    }

    /// Returns what a call had done when it timed out in the phase.
    ///
    /// - Parameters:
    ///   - metrics: the metrics of the call.
    ///   - addresses: the addresses that were tried, with the reasons why they failed; empty if there are none.
    /// - Returns: a clause for the description of the error.
    package func reached(_ metrics: HTTPMetrics, _ addresses: String) -> String {
        switch self {
        case .preparing, .queue:
            "no connection was free, or the request was still in the client's queue"
        case .resolve: "the name was not resolved"
        case .connect: addresses.isEmpty ? "no address answered" : addresses
        case .proxyHandshake: "connected to the proxy, but not through it to the origin"
        case .tlsHandshake: "connected, but TLS was not established"
        case .sending, .sendingBody: "\(metrics.bytesSent) bytes were sent"
        case .responseHead:
            "\(metrics.bytesSent) bytes were sent, \(metrics.bytesReceived) received"
        case .upgraded: "the peer sent or accepted no bytes in time"
        case .establish, .body, .validating, .decoding, .throughput, .total:
            "\(metrics.bodyBytesReceived) bytes of the body were received"
        }
    }
}
