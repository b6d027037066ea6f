internal import HTTPClient
internal import Synchronization

/// The progress display of a transfer on standard error.
///
/// The client reports bytes and speed; drawing happens at intervals.
final class ProgressDisplay: Sendable {
    private struct Shared {
        var figures = ProgressSnapshot()
        var hasDrawn = false
        var hasEnded = false
    }

    /// Whether announced lengths of response bodies are shown as totals.
    enum Totals {
        case shown
        /// They do not describe what is received.
        case ignored
    }

    private let style: ProgressStyle
    private let totals: Totals
    private let console: Console
    private let began = SuspendingClock.now
    // Updated on the client's thread, drawn on another.
    private let shared: Mutex<Shared>

    /// Creates a display without drawing.
    init(_ style: ProgressStyle, _ console: Console, resumedOffset: Int, totals: Totals) {
        self.style = style
        self.totals = totals
        self.console = console
        shared = Mutex(Shared(figures: ProgressSnapshot(resumedOffset: resumedOffset)))
    }

    /// Records the progress that the client reports.
    @Sendable func update(_ progress: HTTPProgress) {
        shared.withLock { shared in
            guard !shared.hasEnded else { return }
            switch progress.direction {
            case .upload:
                shared.figures.upload = .init(
                    transferred: progress.completed,
                    total: progress.total
                )
            case .download:
                shared.figures.download = .init(
                    transferred: progress.completed,
                    total: totals == .shown ? progress.total : nil
                )
            }
            if !progress.isFinal { shared.figures.speed = progress.bytesPerSecond }
        }
    }

    /// Records the bytes of a complete body.
    func endDownload(received bytes: Int) {
        shared.withLock { $0.figures.download.transferred = bytes }
    }

    /// Draws repeatedly until the task is canceled.
    func run() async {
        while true {
            do {
                try await Task.sleep(for: style.interval)
            } catch {
                return
            }
            shared.withLock { draw(&$0) }
        }
    }

    /// Draws the last state and ends the line.
    ///
    /// A transfer that fails before the first drawing prints nothing.
    func finish(hasFailed: Bool) {
        shared.withLock { shared in
            shared.hasEnded = true
            guard shared.hasDrawn || !hasFailed else { return }
            shared.figures.isFinished = true
            draw(&shared)
            console.print("\n")
        }
    }

    private func draw(_ shared: inout Shared) {
        let elapsed = SuspendingClock.now - began
        shared.figures.elapsed = elapsed
        var text = "\r"
        // Text in the last column would move the cursor of some terminals to the next line.
        let width = SystemFile.columns - 1
        switch style {
        case .meter:
            if !shared.hasDrawn { text = ProgressMeter.heading + text }
            text += ProgressMeter.text(shared.figures)
        case .bar:
            text += ProgressText.left(ProgressBar.text(shared.figures, width: width), width)
        case .hashes:
            text += ProgressText.left(ProgressBar.hashes(shared.figures, width: width), width)
        }
        shared.hasDrawn = true
        console.print(text)
    }
}
