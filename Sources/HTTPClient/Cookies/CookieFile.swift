internal import SocketTransport

/// Keeps a file like a jar: written a moment after each change, one writer at a time.
///
/// Several processes may have a jar with the same file: each adds what it has changed itself.
final class CookieFile: Sendable {
    private struct State {
        /// The jar's cookies when they were last read from the file or written into it.
        ///
        /// What differs from them now was changed by this process. What the file has besides is another
        /// process's.
        var synchronized: [Cookie]?
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
        let cookies = Self.lasting(jar)
        state.withLock { $0.synchronized = cookies }
    }

    /// Writes what has changed in the jar into the file; what other processes have changed stays.
    func write(_ jar: CookieJar) throws(HTTPError) {
        try writing.withLock { _ throws(HTTPError) in
            let before = state.withLock { state in
                state.isDue = false
                return state.synchronized
            }
            let cookies = Self.lasting(jar)
            var fault: HTTPError?
            if before != cookies {
                do throws(HTTPError) {
                    try merge(cookies, since: before ?? [], like: jar)
                } catch {
                    fault = error
                }
            }
            state.withLock { [fault] state in
                if fault == nil { state.synchronized = cookies }
                state.fault = fault
            }
            if let fault { throw fault }
        }
    }

    /// Adds the difference between two states of a jar to the file, while no other process changes it.
    private func merge(
        _ cookies: [Cookie],
        since before: [Cookie],
        like jar: CookieJar
    ) throws(HTTPError) {
        let lock: FileLock
        do {
            lock = try FileLock(for: path)
        } catch {
            throw WholeFile.fault(path, .create, error.description)
        }
        let file = CookieJar(limits: jar.limits, suffixes: jar.chosenSuffixes)
        try file.load(from: path, whenMissing: .isEmpty)
        let known = Set(before)
        let kept = Set(cookies)
        // Exactly these: one that another process has set again stays.
        file.remove { known.contains($0) && !kept.contains($0) }
        file.set(cookies.filter { !known.contains($0) })
        try WholeFile.replace(path, with: CookieFormat.json.encode(Self.lasting(file)))
        withExtendedLifetime(lock) {}
    }

    /// The cookies that outlive the program.
    private static func lasting(_ jar: CookieJar) -> [Cookie] {
        jar.cookies.filter { $0.expires != nil }
    }
}
