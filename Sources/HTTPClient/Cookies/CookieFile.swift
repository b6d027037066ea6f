internal import SocketTransport

/// Keeps a file like a jar: written a moment after each change, one writer at a time.
final class CookieFile: Sendable {
    private struct State {
        /// What the file holds; nil before it was written.
        var written: [UInt8]?
        /// A writer will come, and will see what changes until then.
        var isDue = false
        var fault: HTTPError?
    }

    /// How long a writer waits for further changes: a page sets several cookies, and the file is
    /// written once for them.
    private static let patience = Duration.milliseconds(200)

    let path: String
    private let state = Locked(State())
    /// Held while the file is written.
    private let writing = Locked(())

    init(_ path: String) {
        self.path = path
    }

    /// Why the last writing failed; nil when it did not.
    var fault: HTTPError? { state.withLock { $0.fault } }

    /// Has the file written soon.
    ///
    /// - Parameter jar: whose cookies it keeps; lives until then.
    func follow(_ jar: CookieJar) {
        let isFirst = state.withLock { state in
            defer { state.isDue = true }
            return !state.isDue
        }
        guard isFirst else { return }
        Task.detached(priority: .utility) { [self] in
            try? await Task.sleep(for: Self.patience)
            // Its failure is kept for who looks; the next change tries again.
            try? write(jar)
        }
    }

    /// Notes that the file holds the jar's cookies.
    func settle(_ jar: CookieJar) {
        let octets = Self.octets(of: jar)
        state.withLock { $0.written = octets }
    }

    /// Writes the file, if it does not hold the jar's cookies yet.
    func write(_ jar: CookieJar) throws(HTTPError) {
        try writing.withLock { _ throws(HTTPError) in
            state.withLock { $0.isDue = false }
            let octets = Self.octets(of: jar)
            var fault: HTTPError?
            if state.withLock({ $0.written != octets }) {
                do throws(HTTPError) {
                    try WholeFile.replace(path, with: octets)
                } catch {
                    fault = error
                }
            }
            state.withLock { [fault] state in
                if fault == nil { state.written = octets }
                state.fault = fault
            }
            if let fault { throw fault }
        }
    }

    private static func octets(of jar: CookieJar) -> [UInt8] {
        CookieFormat.json.encode(jar.cookies.filter { $0.expires != nil })
    }
}
