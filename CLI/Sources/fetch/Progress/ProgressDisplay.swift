internal import HTTPClient
internal import Synchronization

/// The progress display of a transfer on standard error.
///
/// Updates arrive as often as bytes move; drawing happens at intervals.
final class ProgressDisplay: Sendable {
    private struct Shared {
        var figures = ProgressSnapshot()
        var window = SpeedWindow()
        var hasDrawn = false
    }

    private let style: ProgressStyle
    private let console: Console
    private let began = ContinuousClock.now
    // Updated on the client's thread, drawn on another.
    private let shared: Mutex<Shared>

    /// Creates a display without drawing.
    init(_ style: ProgressStyle, _ console: Console, resumedOffset: Int) {
        self.style = style
        self.console = console
        shared = Mutex(Shared(figures: ProgressSnapshot(resumedOffset: resumedOffset)))
    }

    /// Records the progress of the upload.
    @Sendable func updateUpload(_ upload: HTTPProgress) {
        shared.withLock {
            $0.figures.upload = .init(transferred: upload.completed, total: upload.total)
        }
    }

    /// Records how much of a body was received, and its total if known.
    func updateDownload(received bytes: Int, of total: Int?) {
        shared.withLock { $0.figures.download = .init(transferred: bytes, total: total) }
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
            guard shared.hasDrawn || !hasFailed else { return }
            shared.figures.isFinished = true
            draw(&shared)
            console.print("\n")
        }
    }

    private func draw(_ shared: inout Shared) {
        let elapsed = ContinuousClock.now - began
        let (down, up) = (shared.figures.download, shared.figures.upload)
        shared.window.record(ProgressSnapshot.sum(down.transferred, up.transferred), at: elapsed)
        shared.figures.elapsed = elapsed
        shared.figures.speed = shared.window.rate
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
