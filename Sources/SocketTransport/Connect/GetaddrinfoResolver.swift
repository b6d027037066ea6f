private import Glibc

/// Turns host names into addresses with getaddrinfo(3), on threads of its own.
///
/// getaddrinfo blocks and cannot be interrupted: a caller that gives up abandons the look-up, which
/// ends by itself and no longer counts among those under way. Threads start when there is work and end
/// when there is none. Each client has a resolver, so that names whose servers do not answer delay no
/// other client.
package final class GetaddrinfoResolver: Sendable {
    /// What a look-up ends with: at least one address, in the order of RFC 6724, or an error.
    package typealias LookupResult = Result<[SocketAddress.Host], TransportError>
    /// Looks a name up while the calling thread waits.
    package typealias BlockingLookup = @Sendable (HostQuery) -> LookupResult

    /// Look-ups under way at once unless said otherwise.
    ///
    /// 64: names that answer take milliseconds, so more are under way only when servers do not answer.
    package static let defaultThreads = 64
    /// Abandoned look-ups that may still hold a thread besides, as a multiple of those under way.
    private static let abandonedFactor = 3

    private struct QueuedLookup: Sendable {
        let id: UInt64
        let name: HostQuery
        let completion: @Sendable (LookupResult) -> Void
    }

    private struct State {
        var queue: [QueuedLookup] = []
        /// Threads, with those of abandoned look-ups.
        var threads = 0
        /// Look-ups on threads that somebody waits for.
        var running: Set<UInt64> = []
        /// Look-ups on threads that nobody waits for.
        var abandoned = 0

        /// Takes a place for another thread if the limits leave one.
        mutating func addThread(_ maximum: Int) -> Bool {
            guard threads - abandoned < maximum,
                threads < maximum * (1 + GetaddrinfoResolver.abandonedFactor)
            else { return false }
            threads += 1
            return true
        }
        var lastID: UInt64 = 0
    }

    private let state = Locked(State())
    private let maxThreads: Int
    private let lookUp: BlockingLookup

    /// - Parameters:
    ///   - maxThreads: look-ups under way at once; more wait their turn. Abandoned ones do not count,
    ///     up to three times as many.
    ///   - lookUp: what the threads do; default getaddrinfo(3).
    package init(
        maxThreads: Int = GetaddrinfoResolver.defaultThreads,
        lookUp: @escaping BlockingLookup = GetaddrinfoResolver.systemLookup
    ) {
        self.maxThreads = maxThreads
        self.lookUp = lookUp
    }

    /// Queues a look-up and starts a thread for it when there may be one more.
    ///
    /// - Parameters:
    ///   - name: what to look up.
    ///   - completion: called once, on a thread of the resolver; with `.systemFailure` on this one
    ///     when no thread can be started.
    /// - Returns: what ``cancel(_:)`` takes.
    package func start(
        _ name: HostQuery,
        _ completion: @escaping @Sendable (LookupResult) -> Void
    ) -> UInt64 {
        let (id, needsThread) = state.withLock { state in
            state.lastID += 1
            state.queue.append(QueuedLookup(id: state.lastID, name: name, completion: completion))
            return (state.lastID, state.addThread(maxThreads))
        }
        guard needsThread else { return id }
        do {
            try SystemThread.start { self.runThread() }
        } catch {
            // Another thread will take it; without one nobody would, so say so now.
            let unstarted = state.withLock { state in
                state.threads -= 1
                guard state.threads == 0 else { return [] as [QueuedLookup] }
                defer { state.queue = [] }
                return state.queue
            }
            let failure = TransportError.systemFailure(call: "pthread_create", error)
            for waiting in unstarted { waiting.completion(.failure(failure)) }
        }
        return id
    }

    /// Gives up a look-up that nobody waits for any more: one in the queue is taken out, one under way
    /// makes room for another.
    ///
    /// - Returns: false when it is under way, or over: it cannot be stopped.
    package func cancel(_ id: UInt64) -> Bool {
        let (isQueued, needsThread) = state.withLock { state in
            if let place = state.queue.firstIndex(where: { $0.id == id }) {
                state.queue.remove(at: place)
                return (true, false)
            }
            guard state.running.remove(id) != nil else { return (false, false) }
            state.abandoned += 1
            return (false, !state.queue.isEmpty && state.addThread(maxThreads))
        }
        if needsThread {
            do {
                try SystemThread.start { self.runThread() }
            } catch {
                // The thread of the abandoned look-up goes on with the queue when it has ended.
                state.withLock { $0.threads -= 1 }
            }
        }
        return isQueued
    }

    /// Threads that have been started and have not ended, with those of abandoned look-ups.
    package var threadCount: Int { state.withLock { $0.threads } }

    private func runThread() {
        while true {
            let next = state.withLock { state -> QueuedLookup? in
                guard !state.queue.isEmpty else {
                    state.threads -= 1
                    return nil
                }
                let next = state.queue.removeFirst()
                state.running.insert(next.id)
                return next
            }
            guard let next else { return }
            let answer = lookUp(next.name)
            let isSurplus = state.withLock { state in
                if state.running.remove(next.id) == nil { state.abandoned -= 1 }
                // Another thread has taken the place of this one meanwhile.
                guard state.threads - state.abandoned > maxThreads else { return false }
                state.threads -= 1
                return true
            }
            next.completion(answer)
            if isSurplus { return }
        }
    }

    /// Calls getaddrinfo(3).
    package static let systemLookup: BlockingLookup = { name in
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        switch name.family {
        case .any: break
        case .ipv4: unsafe hints.ai_family = AF_INET
        case .ipv6: unsafe hints.ai_family = AF_INET6
        }
        var list: UnsafeMutablePointer<addrinfo>?
        var code: Int32
        var errno: Errno
        repeat {
            code = unsafe getaddrinfo(name.host, nil, &hints, &list)
            errno = Errno.current
        } while code == EAI_SYSTEM && errno == .interrupted
        guard code == 0 else {
            if code == EAI_SYSTEM, errno.isDescriptorExhaustion {
                return .failure(.descriptorsExhausted(errno))
            }
            return .failure(.resolveFailed(host: name.host, code: code))
        }
        defer { unsafe freeaddrinfo(list) }
        var hosts: [SocketAddress.Host] = []
        var next = unsafe list
        // SAFETY: getaddrinfo made the list; it stays valid until freeaddrinfo above.
        while let entry = unsafe next {
            var storage = sockaddr_storage()
            let length = Int(unsafe entry.pointee.ai_addrlen)
            if let source = unsafe entry.pointee.ai_addr,
                length <= MemoryLayout<sockaddr_storage>.size
            {
                unsafe withUnsafeMutableBytes(of: &storage) { target in
                    unsafe target.copyMemory(
                        from: UnsafeRawBufferPointer(start: source, count: length)
                    )
                }
                if let host = SocketAddress(storage)?.host, !hosts.contains(host) {
                    hosts.append(host)
                }
            }
            unsafe next = entry.pointee.ai_next
        }
        guard !hosts.isEmpty else {
            return .failure(.resolveFailed(host: name.host, code: EAI_NONAME))
        }
        return .success(hosts)
    }
}

extension TransportError {
    /// The C library's text for an `EAI_…` code of `.resolveFailed`.
    package static func resolveReason(_ code: Int32) -> String {
        guard let text = unsafe gai_strerror(code) else { return "error \(code)" }
        // SAFETY: gai_strerror returns a static string.
        return unsafe String(cString: text)
    }

    /// Whether the text is one of the C library's, and not that of a resolver of the application.
    package static func isResolveReason(_ text: String) -> Bool { resolveReasons.contains(text) }

    private static let resolveReasons = Set((1...127).map { resolveReason(-$0) })

    /// The name has addresses, but none of the family asked for.
    package static func noAddressInFamily(host: String) -> TransportError {
        // EAI_ADDRFAMILY, which <netdb.h> shows to programs with _GNU_SOURCE alone.
        .resolveFailed(host: host, code: -9)
    }
}
