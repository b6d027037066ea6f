internal import SocketTransport

/// Keeps a file like a jar: written a moment after each change, one writer at a time.
///
/// Several processes may have a jar with the same file: each writes what it has changed
/// itself; see ``CookieMerge``.
final class CookieFile: Sendable {
    private struct State {
        /// The jar's cookies when they were last read from the file or written into it.
        ///
        /// What differs from them now was changed by this process. What the file has besides is another
        /// process's.
        var synchronized: [Cookie]?
        /// A writer will come, and will see what changes until then.
        var isWritePending = false
        var lastError: HTTPError?
    }

    /// How long a writer waits for further changes: a page sets several cookies, and the file is
    /// written once for them.
    private static let writeDelay = Duration.milliseconds(200)
    /// Attempts while another process has the file locked; they take about a minute.
    private static let maxAttempts = 16
    private static let maxDelay = Duration.seconds(5)

    let path: String
    private let state = Locked(State())
    /// Held while the file is written.
    private let writing = Locked(())

    init(_ path: String) {
        self.path = path
    }

    /// Why the last writing failed; nil when it did not.
    var lastError: HTTPError? { state.withLock { $0.lastError } }

    /// Has the file written soon, away from Swift's own threads.
    ///
    /// While another process has the file locked, it tries again for about a minute.
    ///
    /// - Parameter jar: whose cookies it keeps; lives until then.
    func scheduleWrite(of jar: CookieJar) {
        guard reserveWrite() else { return }
        Task.detached(priority: .utility) { [self] in
            var delay = Self.writeDelay
            for attempt in 1...Self.maxAttempts {
                try? await Task.sleep(for: delay)
                delay = min(delay * 2, Self.maxDelay)
                // Its failure is kept in `lastError`; but for a lock, the next change tries again.
                let isLocked = await BlockingWork.run { self.writeUnlessLocked(jar) }
                guard isLocked, attempt < Self.maxAttempts, reserveWrite() else { return }
            }
        }
    }

    /// Whether no other writer will come; then the caller is the one.
    private func reserveWrite() -> Bool {
        state.withLock { state in
            defer { state.isWritePending = true }
            return !state.isWritePending
        }
    }

    /// Writes the file without waiting for its lock, and returns whether another process has that.
    private func writeUnlessLocked(_ jar: CookieJar) -> Bool {
        do throws(Failure) {
            try write(jar, isWaiting: false)
            return false
        } catch {
            return error.isLocked
        }
    }

    /// Notes that the file holds the jar's cookies.
    func markSynchronized(with jar: CookieJar) {
        let cookies = Self.persistentCookies(of: jar)
        state.withLock { $0.synchronized = cookies }
    }

    /// The reason why the file was not written.
    private struct Failure: Error {
        let error: HTTPError
        /// Whether another process has the file locked.
        let isLocked: Bool
    }

    /// Writes what has changed in the jar into the file; what other processes have changed stays.
    ///
    /// It waits up to two seconds for the file's lock.
    func write(_ jar: CookieJar) throws(HTTPError) {
        do throws(Failure) {
            try write(jar, isWaiting: true)
        } catch {
            throw error.error
        }
    }

    private func write(_ jar: CookieJar, isWaiting: Bool) throws(Failure) {
        try writing.withLock { _ throws(Failure) in
            let before = state.withLock { state in
                state.isWritePending = false
                return state.synchronized
            }
            let cookies = Self.persistentCookies(of: jar)
            var failure: Failure?
            if before != cookies {
                do throws(Failure) {
                    try lockAndMerge(cookies, since: before ?? [], like: jar, isWaiting)
                } catch {
                    failure = error
                }
            }
            state.withLock { [failure] state in
                if failure == nil { state.synchronized = cookies }
                state.lastError = failure?.error
            }
            if let failure { throw failure }
        }
    }

    private func lockAndMerge(
        _ cookies: [Cookie],
        since before: [Cookie],
        like jar: CookieJar,
        _ isWaiting: Bool
    ) throws(Failure) {
        let lock: FileLock
        do {
            lock = try FileLock(for: path, isWaiting: isWaiting)
        } catch {
            let fault = FileContents.error(path, .create, error.description)
            throw Failure(error: fault, isLocked: error == .heldElsewhere)
        }
        do {
            try merge(cookies, since: before, like: jar)
        } catch {
            throw Failure(error: error, isLocked: false)
        }
        withExtendedLifetime(lock) {}
    }

    /// Adds the difference between two states of a jar to the file; its lock is held.
    private func merge(
        _ cookies: [Cookie],
        since before: [Cookie],
        like jar: CookieJar
    ) throws(HTTPError) {
        let stored = jar.emptyCopy()
        try stored.load(from: path, onMissingFile: .treatAsEmpty)
        // Another jar, as its limits count after the merge.
        let file = jar.emptyCopy()
        let merge = CookieMerge(from: before, to: cookies)
        file.set(merge.applied(to: stored.cookies, now: jar.now()))
        try FileContents.replace(
            path,
            with: CookieFormat.json.encode(Self.persistentCookies(of: file))
        )
    }

    /// The cookies that outlive the program.
    private static func persistentCookies(of jar: CookieJar) -> [Cookie] {
        jar.cookies.filter { $0.expires != nil }
    }
}

/// Says what is damaged in a file of cookies; never what a cookie holds.
@nonexhaustive public enum CookieFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line of a Netscape file, counted from 1.
    case line(Int, LineError)
    /// The text is not JSON.
    case json(HTTPJSONError)
    /// JSON, but not a file of cookies.
    case unrecognizedFormat
    /// A file of cookies that a later version of this library wrote.
    case unknownVersion
    /// A member of a cookie is missing or of another kind; cookies are counted from 0.
    case invalidMember(String, cookie: Int)
    /// The members of a cookie are there, but do not make one; see ``Cookie``.
    case invalidCookie(Int)

    /// Says what is wrong with a line.
    @nonexhaustive public enum LineError: Error, Sendable, Hashable, CustomStringConvertible {
        /// There are seven columns, of which the value may be missing.
        case columnCount(Int)
        /// A column that must be TRUE or FALSE is neither; they are counted from 1.
        case invalidFlag(column: Int)
        /// The time of its end is no number.
        case invalidExpiry
        /// Its columns do not make a cookie; see ``Cookie``.
        case invalidCookie

        /// What is wrong, in a few words.
        public var description: String {
            switch self {
            case .columnCount(let count): "it has \(count) columns instead of 7"
            case .invalidFlag(let column): "column \(column) is neither TRUE nor FALSE"
            case .invalidExpiry: "column 5 is no time"
            case .invalidCookie: "its columns do not make a cookie"
            }
        }
    }

    /// One line: what is wrong, and where.
    public var description: String {
        switch self {
        case .line(let number, let problem): "line \(number): \(problem)"
        case .json(let fault): "it is not JSON: \(fault)"
        case .unrecognizedFormat: "it is not a file of cookies"
        case .unknownVersion: "a later version of HTTPClient wrote it"
        case .invalidMember(let name, let cookie):
            "cookie \(cookie) has no valid member \"\(name)\""
        case .invalidCookie(let index): "the members of cookie \(index) do not make a cookie"
        }
    }
}
