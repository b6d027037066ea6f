internal import SocketTransport
internal import Synchronization

/// The pause of one call: while it lasts, no content of the call moves.
///
/// The attempts of the call ask it before they read or write content. A pause and its end interrupt their
/// waits, so that they ask again.
final class PauseGate: Sendable {
    /// The sockets that attempts have used; loop-confined.
    private final class Sockets {
        private struct Entry {
            weak var socket: SocketStream?
        }

        private var entries: [Entry] = []

        func add(_ socket: SocketStream) {
            entries.removeAll { $0.socket == nil || $0.socket === socket }
            entries.append(Entry(socket: socket))
        }

        /// Ends the waits of the sockets; other users of a socket tolerate that.
        func interrupt() {
            for entry in entries { entry.socket?.interruptWait() }
        }
    }

    private let loop: EventLoop
    private let sockets: LoopBound<Sockets>
    private let state = Atomic<State>(.running)

    /// Creates a gate that is open.
    ///
    /// - Parameter loop: the loop that runs the attempts.
    init(on loop: EventLoop) {
        self.loop = loop
        sockets = LoopBound(Sockets(), on: loop)
    }

    /// Whether the call is paused.
    var isPaused: Bool { state.load(ordering: .acquiring) == .paused }

    /// Pauses the call, ends the pause, or ends the call.
    ///
    /// - Returns: false if that was the state before, or if the call is over.
    func set(_ new: State) -> Bool {
        var old = state.load(ordering: .acquiring)
        while true {
            guard old != new, old != .over else { return false }
            let (isExchanged, current) = state.compareExchange(
                expected: old,
                desired: new,
                ordering: .acquiringAndReleasing
            )
            if isExchanged { break }
            old = current
        }
        // No attempt waits after the end of the call.
        if new != .over { loop.post { [sockets] in sockets.value.interrupt() } }
        return true
    }

    /// Adds a socket that an attempt uses; call it on the loop.
    func attach(_ socket: SocketStream) {
        sockets.value.add(socket)
    }

    /// The state of a gate.
    enum State: UInt8, AtomicRepresentable {
        case running
        case paused
        /// The call is over, and no content follows that could be paused.
        case over
    }
}
