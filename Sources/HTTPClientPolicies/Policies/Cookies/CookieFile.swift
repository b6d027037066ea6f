internal import SocketTransport

/// The file of a persistent jar: written shortly after each change, by one writer at a time.
///
/// Several processes may have a jar with the same file. Each process writes only its own changes; see
/// ``CookieMerge``.
final class CookieFile: Sendable {
    private struct State {
        /// The jar's cookies when they were last read from the file or written to it.
        ///
        /// Differences from the current cookies are changes of this process. Other differences from the file
        /// are changes of other processes.
        var synchronized: [Cookie]?
        /// Whether a write is scheduled, which will include all changes made until then.
        var isWritePending = false
        var lastError: HTTPError?
    }

    /// The delay of a write after a change.
    ///
    /// A page often sets several cookies, and the delay combines them into one write.
    private static let writeDelay = Duration.milliseconds(200)
    /// The maximum number of attempts while another process holds the lock; they take about a minute.
    private static let maxAttempts = 16
    private static let maxDelay = Duration.seconds(5)

    let path: String
    private let state = Locked(State())
    /// A lock that is held while the file is written.
    private let writing = Locked(())

    init(_ path: String) {
        self.path = path
    }

    /// The error of the last write; nil when it succeeded.
    var lastError: HTTPError? { state.withLock { $0.lastError } }

    /// Schedules a write of the file, outside of Swift's own threads.
    ///
    /// While another process holds the lock of the file, the write is retried for about a minute.
    ///
    /// - Parameter jar: the jar with the cookies; retained until then.
    func scheduleWrite(of jar: CookieJar) {
        guard reserveWrite() else { return }
        Task.detached(priority: .utility) { [self] in
            var delay = Self.writeDelay
            for attempt in 1...Self.maxAttempts {
                try? await Task.sleep(for: delay)
                delay = min(delay * 2, Self.maxDelay)
                // The error is stored in `lastError`. Unless the file is locked, the next change tries again.
                let isLocked = await BlockingWork.run { self.writeUnlessLocked(jar) }
                guard isLocked, attempt < Self.maxAttempts, reserveWrite() else { return }
            }
        }
    }

    /// Returns whether no other write was scheduled; if so, the caller must write.
    private func reserveWrite() -> Bool {
        state.withLock { state in
            defer { state.isWritePending = true }
            return !state.isWritePending
        }
    }

    /// Writes the file without waiting for its lock; returns whether another process holds the lock.
    private func writeUnlessLocked(_ jar: CookieJar) -> Bool {
        do throws(Failure) {
            try write(jar, isWaiting: false)
            return false
        } catch {
            return error.isLocked
        }
    }

    /// Records that the file has the cookies of the jar.
    func markSynchronized(with jar: CookieJar) {
        let cookies = Self.persistentCookies(of: jar)
        state.withLock { $0.synchronized = cookies }
    }

    /// The reason why the file was not written.
    private struct Failure: Error {
        let error: HTTPError
        /// Whether another process holds the lock of the file.
        let isLocked: Bool
    }

    /// Writes the changes of the jar to the file, and keeps the changes of other processes.
    ///
    /// The call waits up to two seconds for the lock of the file.
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
            let failure = FileContents.error(path, .create, error.description)
            throw Failure(error: failure, isLocked: error == .heldElsewhere)
        }
        do {
            try merge(cookies, since: before, like: jar)
        } catch {
            throw Failure(error: error, isLocked: false)
        }
        withExtendedLifetime(lock) {}
    }

    /// Adds the difference between two states of a jar to the file; the caller holds its lock.
    private func merge(
        _ cookies: [Cookie],
        since before: [Cookie],
        like jar: CookieJar
    ) throws(HTTPError) {
        let stored = jar.emptyCopy()
        try stored.load(from: path, onMissingFile: .treatAsEmpty)
        // This is another jar, because its limits apply after the merge.
        let file = jar.emptyCopy()
        let merge = CookieMerge(from: before, to: cookies)
        file.set(merge.applied(to: stored.cookies, now: jar.now()))
        try FileContents.replace(
            path,
            with: CookieJar.FileFormat.json.encode(Self.persistentCookies(of: file))
        )
    }

    /// Returns the cookies that are not session cookies.
    private static func persistentCookies(of jar: CookieJar) -> [Cookie] {
        jar.cookies.filter { $0.expires != nil }
    }
}

extension CookieJar {
    /// An error in a cookie file; it never contains the value of a cookie.
    @nonexhaustive public enum FileError: Error, Sendable, Hashable, CustomStringConvertible {
        /// An error in a line of a Netscape file; lines are counted from 1.
        case line(Int, LineError)
        /// The text is not JSON.
        case json(HTTPJSON.ParsingError)
        /// The text is JSON, but not a cookie file.
        case unrecognizedFormat
        /// A later version of this library wrote the file.
        case unknownVersion
        /// A member of a cookie is missing or of another kind; cookies are counted from 0.
        case invalidMember(String, cookie: Int)
        /// The members of a cookie are present, but not a valid cookie; see ``Cookie``.
        case invalidCookie(Int)

        /// The kind of error in a line.
        @nonexhaustive public enum LineError: Error, Sendable, Hashable, CustomStringConvertible {
            /// The line does not have seven columns; only the value may be missing.
            case columnCount(Int)
            /// A column that must be TRUE or FALSE is neither; columns are counted from 1.
            case invalidFlag(column: Int)
            /// The expiry is not a number.
            case invalidExpiry
            /// The columns are not a valid cookie; see ``Cookie``.
            case invalidCookie

            /// A short description of the error.
            public var description: String {
                switch self {
                case .columnCount(let count): "it has \(count) columns instead of 7"
                case .invalidFlag(let column): "column \(column) is neither TRUE nor FALSE"
                case .invalidExpiry: "column 5 is not a time"
                case .invalidCookie: "its columns are not a valid cookie"
                }
            }
        }

        /// One line with the error and its position.
        public var description: String {
            switch self {
            case .line(let number, let reason): "line \(number): \(reason)"
            case .json(let reason): "it is not JSON: \(reason)"
            case .unrecognizedFormat: "it is not a cookie file"
            case .unknownVersion: "it was written by a later version of HTTPClient"
            case .invalidMember(let name, let cookie):
                "cookie \(cookie) has no valid member \"\(name)\""
            case .invalidCookie(let index): "the members of cookie \(index) are not a valid cookie"
            }
        }
    }
}
