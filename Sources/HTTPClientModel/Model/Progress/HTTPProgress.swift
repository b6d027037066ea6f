// To change what progress reports, and when: this file has the values, `TransferMeter` the speed and the times,
// `ProgressReporter` the phases and the timer. `CallRecord` and `RequestProgress` deliver it to observers.
// `TransferMeterTests` has no clock, and `ProgressReporterTests` runs in simulated time.

/// The progress of the content of a request or a response.
///
///     let call = client.start(request).onProgress { progress in
///         print(progress.phase, progress.completed, progress.bytesPerSecond, progress.timeLeft ?? .zero)
///     }
///
/// The client reports progress when the ``phase`` changes and when bytes move: at most about 20 times a second, and
/// once a second for a slow transfer. It reports a stalled transfer once. It always reports the last progress of
/// each direction.
///
/// A change of the phase is reported with the direction that the call is busy with. That is the upload until the
/// response begins, if the request has content, and the download otherwise.
///
/// ## Topics
/// ### Bytes
/// - ``direction``
/// - ``completed``
/// - ``total``
/// - ``fraction``
/// - ``percentage``
/// - ``resumedOffset``
/// - ``segments``
/// ### State
/// - ``phase``
/// - ``isStalled``
/// - ``isPaused``
/// - ``isFinal``
/// ### Time
/// - ``bytesPerSecond``
/// - ``timeLeft``
/// - ``elapsed``
public struct HTTPProgress: Sendable, Hashable {
    /// The direction of a transfer.
    public enum Direction: Sendable, Hashable {
        /// To the server. The bytes are those that the connection has accepted, including chunk framing.
        case upload
        /// From the server. The bytes are those received before content decoding; in a download to a file, the
        /// bytes of the file.
        case download
    }

    /// The phase of a call, as far as progress is concerned.
    @nonexhaustive public enum Phase: Sendable, Hashable {
        /// Waiting in an ``HTTPClientQueue``, or for a connection from the pool.
        case queued
        /// Opening a connection: name lookup, TCP, proxy and TLS.
        case connecting
        /// Sending the request.
        case sending
        /// Waiting for the head of the response; the request has been sent.
        case waiting
        /// Receiving the body of the response.
        case receiving
        /// Verifying a digest after the last byte of the body, or waiting until a downloaded file is on the disk.
        case verifying
    }

    /// A part of a file that one of several connections downloads (``HTTPDownloadOptions/segments``).
    public struct Segment: Sendable, Hashable {
        /// The number of the connection, from 0.
        public let connection: Int

        /// The positions of the part in the file.
        ///
        /// The end becomes lower when another connection takes the second half.
        public let range: Range<Int>

        /// The number of bytes at the start of the part that are in the file.
        public let completed: Int

        package init(connection: Int, range: Range<Int>, completed: Int) {
            (self.connection, self.range, self.completed) = (connection, range, completed)
        }

        /// The completed fraction, from 0 to 1.
        public var fraction: Double {
            range.isEmpty ? 1 : min(Double(completed) / Double(range.count), 1)
        }
    }

    /// The direction of the bytes.
    public let direction: Direction

    /// The phase of the call when this was reported.
    public let phase: Phase

    /// The number of bytes so far, including ``resumedOffset``.
    ///
    /// It decreases when a request is sent again, or when a download starts over.
    public let completed: Int

    /// The total number of bytes; nil if it is not known.
    public let total: Int?

    /// The number of bytes in the file before the call began; 0 unless a download is resumed.
    public let resumedOffset: Int

    /// The parts of the file that are being downloaded now, in the order of their connections.
    ///
    /// It is empty in every other transfer, and in the first and the last progress of a download in
    /// ``HTTPDownloadOptions/segments``.
    public let segments: [Segment]

    /// The speed in bytes per second, averaged over the last 5 seconds.
    ///
    /// At the beginning, the average covers the time since the first byte could move. It is 0 while the transfer
    /// is stalled, and before it begins. Bytes before ``resumedOffset`` do not count.
    public let bytesPerSecond: Int

    /// Whether no bytes have moved for 3 seconds, although the call is sending or receiving content.
    ///
    /// The next bytes end the stall, and the client reports them immediately.
    public let isStalled: Bool

    /// Whether the call is paused (``HTTPCall/pause()``).
    ///
    /// Its speed is then 0. The client reports the beginning and the end of a pause.
    public let isPaused: Bool

    /// The time since the call began, including the time in the queue and for connecting.
    public let elapsed: Duration

    /// Whether this is the last progress of its direction.
    ///
    /// A failed call reports it too, even if the call failed before it sent anything. It is reported before the
    /// result. For a successful download to a file, it is reported after the file has its final name.
    public let isFinal: Bool

    package init(
        _ direction: Direction,
        in phase: Phase = .queued,
        completed: Int,
        total: Int?,
        resumedOffset: Int = 0,
        segments: [Segment] = [],
        bytesPerSecond: Int = 0,
        isStalled: Bool = false,
        isPaused: Bool = false,
        elapsed: Duration = .zero,
        isFinal: Bool = false
    ) {
        self.direction = direction
        self.phase = phase
        self.completed = completed
        self.total = total
        self.resumedOffset = resumedOffset
        self.segments = segments
        self.bytesPerSecond = bytesPerSecond
        self.isStalled = isStalled
        self.isPaused = isPaused
        self.elapsed = elapsed
        self.isFinal = isFinal
    }

    /// Whether the progress is of this direction; nil stands for both.
    package func isOf(_ direction: Direction?) -> Bool {
        direction == nil || direction == self.direction
    }

    /// The completed fraction, from 0 to 1; nil if ``total`` is not known.
    ///
    /// It is 1 if ``total`` is 0.
    public var fraction: Double? {
        guard let total else { return nil }
        return total == 0 ? 1 : min(Double(completed) / Double(total), 1)
    }

    /// The completed percentage, from 0 to 100; nil if ``total`` is not known.
    public var percentage: Double? { fraction.map { $0 * 100 } }

    /// The time until the last byte at the current speed.
    ///
    /// It is zero when all bytes have moved. It is nil if ``total`` is not known or ``bytesPerSecond`` is 0.
    public var timeLeft: Duration? {
        guard let total else { return nil }
        guard completed < total else { return .zero }
        return TransferMeter.time(for: total - completed, at: bytesPerSecond)
    }
}
