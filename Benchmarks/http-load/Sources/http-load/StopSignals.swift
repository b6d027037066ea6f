private import Dispatch
private import Glibc

/// Stops a run at SIGINT and SIGTERM, so that what was measured until then is reported; a second signal ends the process.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]

    init(_ stop: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                signal(number, SIG_DFL)
                stop()
            }
            source.resume()
            return source
        }
    }

    func end() {
        for source in sources { source.cancel() }
    }
}
