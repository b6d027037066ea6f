private import Glibc

/// A resolver that calls getaddrinfo(3) on its own threads.
///
/// getaddrinfo blocks and cannot be interrupted. A caller that gives up abandons the lookup, which
/// ends on its own and no longer counts as running. Threads start when there is work and end when
/// there is none. Each client has its own resolver, so that names whose DNS servers do not answer
/// delay no other client.
package final class GetaddrinfoResolver: Sendable {
    /// The result of a lookup: at least one address, in the order of RFC 6724, or an error.
    package typealias LookupResult = Result<[IPAddress], TransportError>
    /// A function that looks up a name and blocks the calling thread.
    package typealias BlockingLookup = @Sendable (HostQuery) -> LookupResult

    /// The default limit of concurrent lookups.
    ///
    /// 64: lookups that are answered take milliseconds, so more run at once only if DNS servers do
    /// not answer.
    static let defaultThreads = 64
    /// The limit of abandoned lookups that occupy a thread, as a multiple of the concurrent ones.
    private static let abandonedFactor = 3

    private struct QueuedLookup: Sendable {
        let id: UInt64
        let name: HostQuery
        let completion: @Sendable (LookupResult) -> Void
    }

    private struct State {
        var queue: [QueuedLookup] = []
        /// The number of threads, including those of abandoned lookups.
        var threads = 0
        /// Lookups on threads that have a waiter.
        var running: Set<UInt64> = []
        /// The number of lookups on threads that have no waiter.
        var abandoned = 0

        /// Reserves another thread if the limits allow it.
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
    ///   - maxThreads: the limit of concurrent lookups; further ones are queued. Up to three times
    ///     as many abandoned lookups do not count.
    ///   - lookUp: the function that the threads call; getaddrinfo(3) by default.
    package init(
        maxThreads: Int = GetaddrinfoResolver.defaultThreads,
        lookUp: @escaping BlockingLookup = GetaddrinfoResolver.systemLookup
    ) {
        self.maxThreads = maxThreads
        self.lookUp = lookUp
    }

    /// Queues a lookup and starts a thread for it if the limits allow it.
    ///
    /// - Parameters:
    ///   - name: the name to look up.
    ///   - completion: called once, on a thread of the resolver. If no thread can be started, it is
    ///     called with `.systemFailure` on the calling thread.
    /// - Returns: the identifier for ``cancel(_:)``.
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
            // Another thread will run it. If there is no thread, the lookup fails now.
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

    /// Cancels a lookup that has no more waiters.
    ///
    /// A queued lookup is removed. A running lookup is abandoned, which makes room for another.
    ///
    /// - Returns: false if the lookup is running or has ended: it cannot be stopped.
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
                // The thread of the abandoned lookup continues with the queue when its lookup has
                // ended.
                state.withLock { $0.threads -= 1 }
            }
        }
        return isQueued
    }

    /// The number of running threads, including those of abandoned lookups.
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
                // Another thread has replaced this one in the meantime.
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
        var hosts: [IPAddress] = []
        var next = unsafe list
        // SAFETY: getaddrinfo allocated the list; it is valid until freeaddrinfo above.
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

    /// Whether the text is from the C library, and not from a resolver of the application.
    package static func isResolveReason(_ text: String) -> Bool { resolveReasons.contains(text) }

    private static let resolveReasons = Set((1...127).map { resolveReason(-$0) })

    /// The error for a name that has addresses, but none of the requested family.
    package static func noAddressInFamily(host: String) -> TransportError {
        // EAI_ADDRFAMILY, which <netdb.h> declares only with _GNU_SOURCE.
        .resolveFailed(host: host, code: -9)
    }
}
