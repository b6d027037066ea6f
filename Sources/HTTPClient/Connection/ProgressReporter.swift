internal import SocketTransport
internal import Wire

/// A reporter of the progress of one call.
///
/// The attempts of the call record their phases and their bytes where these change, which is usually on
/// the event loop. Without a watcher, only the numbers are stored. A timer of the loop reports a
/// stalled transfer, and bytes that were too few to be reported at once.
///
/// One call can have several attempts, one after the other.
final class ProgressReporter: Sendable {
    /// The code that counts the bytes of the download.
    enum DownloadCounter: Sendable {
        /// The connection, as it receives them.
        case connection
        /// The code that writes them to a file, by ``ProgressReporter/completing(_:)``.
        case writer
    }

    /// A function that delivers progress; it must not run code of the user before it returns.
    typealias Sink = @Sendable (HTTPProgress) -> Void

    /// One direction.
    private struct Track: Sendable {
        var meter = TransferMeter()
        var completed = 0
        var total: Int?
        var resumedOffset = 0
        var segments: [HTTPProgress.Segment] = []
        var isFinal = false
    }

    private struct State: Sendable {
        let start = Deadline.now()
        var phase = HTTPProgress.Phase.queued
        /// Whether the first attempt has begun.
        var hasBegun = false
        /// Whether the current request has content.
        var hasContent = false
        var counter = DownloadCounter.connection
        var upload = Track()
        var download = Track()
        /// The function that delivers progress; nil without a watcher.
        var sink: Sink?
        /// Whether the call is paused.
        var isPaused = false
        /// Whether the call is over, so that nothing more is reported.
        var isOver = false

        /// Stores the counts of an attempt.
        mutating func store(_ metrics: HTTPMetrics.Attempt) {
            upload.completed = metrics.bodyBytesSent
            if counter == .connection { download.completed = metrics.bodyBytesReceived }
        }

        /// When the current direction must be reported, even if no bytes move; never if it need not
        /// be.
        var due: Deadline {
            guard sink != nil, !isPaused else { return .never }
            return switch phase {
            case .sending: hasContent && !upload.isFinal ? upload.meter.due : .never
            case .receiving: download.isFinal ? .never : download.meter.due
            default: .never
            }
        }
    }

    /// The timer; loop-confined.
    ///
    /// Unlike a `LoopTimer` it does not retain the loop, which may be dropped before it fires.
    private final class Timer: TimerTarget {
        weak var reporter: ProgressReporter?
        var handle: TimerHandle?
        var due = Deadline.never

        func timerFired(now: Deadline) {
            handle = nil
            reporter?.timerFired()
        }
    }

    private let loop: EventLoop
    private let directions: [HTTPProgress.Direction]
    private let state = Locked(State())
    private let timer: LoopBound<Timer>

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - loop: the loop that runs the attempts.
    ///   - directions: the directions to report.
    init(on loop: EventLoop, _ directions: [HTTPProgress.Direction]) {
        self.loop = loop
        self.directions = directions
        timer = LoopBound(Timer(), on: loop)
    }

    // MARK: - Watching

    /// Begins to report, starting with the current state if an attempt has begun.
    func watch(_ sink: @escaping Sink) {
        let isRunning = state.withLock { state -> Bool in
            guard state.sink == nil, !state.isOver else { return false }
            state.sink = sink
            guard state.hasBegun else { return false }
            let now = Deadline.now()
            // What moved before was not measured.
            state.upload.meter.begin(at: now, from: state.upload.completed)
            state.download.meter.begin(at: now, from: state.download.completed)
            report(&state, at: now)
            return true
        }
        if isRunning { loop.post { self.arm() } }
    }

    /// Stops reporting for good; call it when the call is over, before ``finish()``.
    func end() {
        state.withLock { state in
            state.sink = nil
            state.isOver = true
        }
    }

    // MARK: - Recording

    /// Sets who counts the bytes of the download.
    func count(downloadsBy counter: DownloadCounter) {
        state.withLock { $0.counter = counter }
    }

    /// Sets the bytes that a resumed download has already.
    func resume(from offset: Int, of total: Int?) {
        state.withLock { state in
            state.download.completed = offset
            state.download.resumedOffset = offset
            state.download.total = total
        }
    }

    /// Records the phase of an attempt; call it on the thread that uses the attempt.
    func recordPhase(of attempt: RequestAttempt) {
        guard let phase = attempt.phase.progress else { return }
        let now = Deadline.now()
        state.withLock { state in
            let isNew = phase != state.phase || !state.hasBegun
            state.hasBegun = true
            state.phase = phase
            switch attempt.phase {
            case .sending: begin(&state, attempt, at: now)
            case .body:
                record(&state, attempt, at: now)
                guard state.counter == .connection else { break }
                state.download.total = attempt.received.head?.headers.bodyLength
                state.download.completed = 0
                state.download.meter.begin(at: now)
            case _ where !isNew: break
            case .queue, .resolve: begin(&state, attempt, at: now)
            default: record(&state, attempt, at: now)
            }
            if isNew { report(&state, at: now) }
        }
        if loop.isCurrent { arm() }
    }

    /// Records that the call was paused or continues; call it on any thread.
    func recordPause(of gate: PauseGate) {
        let isPaused = state.withLock { state in
            let now = Deadline.now()
            // Asked under the lock: if two threads change the gate, its last state is recorded last.
            state.isPaused = gate.isPaused
            // The speed is that since the end of the pause.
            state.upload.meter.begin(at: now, from: state.upload.completed)
            state.download.meter.begin(at: now, from: state.download.completed)
            if state.hasBegun { report(&state, at: now) }
            return state.isPaused
        }
        if !isPaused { loop.post { self.arm() } }
    }

    /// Records a phase that is not one of an attempt.
    func enter(_ phase: HTTPProgress.Phase) {
        state.withLock { state in
            state.phase = phase
            report(&state, at: .now())
        }
    }

    /// Records the bytes that an attempt has moved; call it on the loop.
    func recordBytes(of attempt: RequestAttempt) {
        let isWatched = state.withLock { state -> Bool in
            guard state.sink != nil else {
                state.store(attempt.trace.metrics)
                return false
            }
            record(&state, attempt, at: .now())
            return true
        }
        if isWatched { arm() }
    }

    /// Records the bytes of an attempt that has ended, without reporting them.
    func recordEnd(of attempt: RequestAttempt) {
        state.withLock { $0.store(attempt.trace.metrics) }
    }

    /// Records the bytes that the writer of a download has in its file; call it on any thread.
    ///
    /// The timer reports those that are not reported now.
    ///
    /// - Parameters:
    ///   - bytes: the bytes in the file, with those of earlier calls.
    ///   - total: the bytes of the complete file; nil if unknown.
    ///   - offset: the bytes of earlier calls.
    ///   - segments: returns the parts that are being downloaded; called only if progress is watched.
    /// - Returns: whether to report them.
    func recordWritten(
        _ bytes: Int,
        of total: Int?,
        resumedAt offset: Int,
        segments: () -> [HTTPProgress.Segment]
    ) -> Bool {
        let (isReported, isDueEarlier) = state.withLock { state in
            let now = Deadline.now()
            let due = state.due
            if !state.download.meter.hasBegun { state.download.meter.begin(at: now, from: offset) }
            state.download.completed = bytes
            state.download.total = total
            state.download.resumedOffset = offset
            if state.sink != nil { state.download.segments = segments() }
            return (state.download.meter.advance(to: bytes, at: now), state.due < due)
        }
        if isDueEarlier { loop.post { self.arm() } }
        return isReported
    }

    /// Records the parts that are being downloaded, without reporting them.
    ///
    /// - Parameter segments: returns the parts; called only if progress is watched.
    func recordSegments(_ segments: () -> [HTTPProgress.Segment]) {
        state.withLock { state in
            if state.sink != nil { state.download.segments = segments() }
        }
    }

    /// Returns the complete progress of a download whose bytes its writer has counted.
    ///
    /// Progress that the connection has counted is complete already.
    func completing(_ counted: HTTPProgress) -> HTTPProgress {
        state.withLock { state in
            guard state.counter == .writer, counted.direction == .download else { return counted }
            let now = Deadline.now()
            if !state.download.meter.hasBegun {
                state.download.meter.begin(at: now, from: counted.resumedOffset)
            }
            _ = state.download.meter.advance(to: counted.completed, at: now)
            state.download.meter.reported(at: now)
            state.download.completed = counted.completed
            state.download.total = counted.total
            state.download.resumedOffset = counted.resumedOffset
            state.download.segments = counted.segments
            if counted.isFinal { state.download.isFinal = true }
            return progress(.download, state, at: now)
        }
    }

    /// Ends the progress of the attempts.
    ///
    /// - Returns: the last progress of each direction that has begun and had none.
    func finish() -> [HTTPProgress] {
        state.withLock { state in
            guard state.hasBegun else { return [] }
            var last: [HTTPProgress] = []
            let now = Deadline.now()
            _ = state.upload.meter.advance(to: state.upload.completed, at: now)
            _ = state.download.meter.advance(to: state.download.completed, at: now)
            if directions.contains(.upload), state.hasContent, !state.upload.isFinal {
                state.upload.isFinal = true
                last.append(progress(.upload, state, at: now))
            }
            if directions.contains(.download), state.counter == .connection,
                !state.download.isFinal
            {
                state.download.isFinal = true
                last.append(progress(.download, state, at: now))
            }
            return last
        }
    }

    /// Whether an attempt has begun.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    // MARK: - Parts

    /// Begins an attempt: its request will be sent from the start.
    private func begin(_ state: inout State, _ attempt: RequestAttempt, at now: Deadline) {
        let fields = attempt.plan.head.headers
        let length = fields.bodyLength
        state.hasContent = fields.contains(.transferEncoding) || length ?? 0 > 0
        state.upload.total = length
        state.upload.completed = 0
        state.upload.meter.begin(at: now)
        guard state.counter == .connection else { return }
        state.download.total = nil
        state.download.completed = 0
    }

    private func record(_ state: inout State, _ attempt: RequestAttempt, at now: Deadline) {
        let (sent, received) = (state.upload.completed, state.download.completed)
        state.store(attempt.trace.metrics)
        guard state.sink != nil else { return }
        if state.upload.completed != sent, state.hasContent, !state.upload.isFinal,
            state.upload.meter.advance(to: state.upload.completed, at: now)
        {
            send(.upload, &state, at: now)
        }
        if state.download.completed != received, !state.download.isFinal,
            state.download.meter.advance(to: state.download.completed, at: now)
        {
            send(.download, &state, at: now)
        }
    }

    /// Reports the direction that the call is busy with.
    private func report(_ state: inout State, at now: Deadline) {
        guard state.sink != nil else { return }
        let direction = direction(of: state)
        guard let direction, directions.contains(direction) else { return }
        switch direction {
        case .upload: state.upload.meter.reported(at: now)
        case .download: state.download.meter.reported(at: now)
        }
        send(direction, &state, at: now)
    }

    /// Returns the direction that the call is busy with; nil if it is not reported.
    private func direction(of state: State) -> HTTPProgress.Direction? {
        let isReceiving = state.phase == .receiving || state.phase == .verifying
        let direction: HTTPProgress.Direction =
            isReceiving || !state.hasContent || state.upload.isFinal ? .download : .upload
        if direction == .download, !directions.contains(.download) {
            return state.hasContent ? .upload : nil
        }
        return direction
    }

    private func send(
        _ direction: HTTPProgress.Direction,
        _ state: inout State,
        at now: Deadline
    ) {
        let isFinal = direction == .upload ? state.upload.isFinal : state.download.isFinal
        guard !isFinal, directions.contains(direction) else { return }
        state.sink?(progress(direction, state, at: now))
    }

    private func progress(
        _ direction: HTTPProgress.Direction,
        _ state: State,
        at now: Deadline
    ) -> HTTPProgress {
        let track = direction == .upload ? state.upload : state.download
        return HTTPProgress(
            direction,
            in: state.phase,
            completed: track.completed,
            total: track.total,
            resumedOffset: track.resumedOffset,
            segments: track.segments,
            bytesPerSecond: track.meter.bytesPerSecond(at: now),
            isStalled: track.meter.isStalled && !track.isFinal,
            isPaused: state.isPaused,
            elapsed: .nanoseconds(now.nanoseconds - state.start.nanoseconds),
            isFinal: track.isFinal
        )
    }

    // MARK: - Timer

    /// Sets the timer for the next report that no byte causes; call it on the loop.
    private func arm() {
        let timer = timer.value
        let due = state.withLock { $0.due }
        // A timer that fires too early sets the next one.
        guard due != .never, timer.handle == nil || due < timer.due else { return }
        if let handle = timer.handle { loop.removeTimer(handle) }
        timer.reporter = self
        timer.due = due
        timer.handle = loop.addTimer(timer, at: due)
    }

    private func timerFired() {
        let now = Deadline.now()
        state.withLock { state in
            guard state.due <= now else { return }
            if state.phase == .sending, state.upload.meter.isDue(at: now) {
                send(.upload, &state, at: now)
            }
            if state.phase == .receiving, state.download.meter.isDue(at: now) {
                send(.download, &state, at: now)
            }
        }
        arm()
    }
}
