private import Glibc

/// Turns host names into addresses with getaddrinfo(3), on threads of its own.
///
/// getaddrinfo blocks and cannot be interrupted: a caller that gives up abandons the look-up, which
/// ends by itself. Threads start when there is work and end when there is none.
package final class Resolver: Sendable {
    /// The resolver of the process.
    package static let shared = Resolver(maximumThreads: 8)

    private struct Lookup: Sendable {
        let id: UInt64
        let host: String
        let completion: @Sendable (Result<[SocketAddress], TransportError>) -> Void
    }

    private struct State {
        var queue: [Lookup] = []
        var threads = 0
        var lastID: UInt64 = 0
    }

    private let state = Locked(State())
    private let maximumThreads: Int

    /// - Parameter maximumThreads: look-ups under way at once; more wait their turn.
    package init(maximumThreads: Int) {
        self.maximumThreads = maximumThreads
    }

    /// Resolves `host` to addresses with `port`, in the order of RFC 6724.
    ///
    /// A numeric address is returned as it is, without a thread.
    ///
    /// - Throws: `.resolveFailed`, `.timedOut(.resolve)`, `.cancelled`; `.systemFailure` when no
    ///   thread can be started.
    package nonisolated(nonsending) func resolve(
        _ host: String,
        port: UInt16,
        on loop: EventLoop,
        until deadline: Deadline,
        in scope: CancellationScope
    ) async throws(TransportError) -> [SocketAddress] {
        if let address = SocketAddress(literal: host, port: port) { return [address] }
        let suspension = Suspension<[SocketAddress]>(on: loop, phase: .resolve)
        try scope.enter(suspension)
        defer { scope.leave() }
        let waiting = LoopBound(suspension, on: loop)
        let id = try submit(host) { result in
            loop.post {
                switch result {
                case .success(let addresses): waiting.value.resume(returning: addresses)
                case .failure(let error): waiting.value.fail(error)
                }
            }
        }
        do {
            let addresses = try await suspension.wait(until: deadline)
            return addresses.map { SocketAddress(host: $0.host, port: port) }
        } catch {
            abandon(id)
            throw error
        }
    }

    /// Takes a look-up out of the queue that nobody waits for any more; one under way runs on.
    private func abandon(_ id: UInt64) {
        state.withLock { state in state.queue.removeAll { $0.id == id } }
    }

    /// Queues a look-up and starts a thread for it when there may be one more.
    private func submit(
        _ host: String,
        _ completion: @escaping @Sendable (Result<[SocketAddress], TransportError>) -> Void
    ) throws(TransportError) -> UInt64 {
        let (id, needsThread) = state.withLock { state in
            state.lastID += 1
            state.queue.append(Lookup(id: state.lastID, host: host, completion: completion))
            guard state.threads < maximumThreads else { return (state.lastID, false) }
            state.threads += 1
            return (state.lastID, true)
        }
        guard needsThread else { return id }
        var thread = pthread_t()
        let retained = unsafe Unmanaged.passRetained(self)
        // SAFETY: the retained reference is the thread's; it is released when the thread ends.
        let failed = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let resolver = unsafe Unmanaged<Resolver>.fromOpaque(argument).takeRetainedValue()
                resolver.runThread()
                return nil
            },
            retained.toOpaque()
        )
        guard failed != 0 else {
            pthread_detach(thread)
            return id
        }
        unsafe retained.release()
        let isAlone = state.withLock { state in
            state.threads -= 1
            return state.threads == 0
        }
        // Another thread will take it; without one nobody would, so say so now.
        if isAlone {
            let stranded = state.withLock { state in
                let stranded = state.queue
                state.queue = []
                return stranded
            }
            let error = TransportError.systemFailure(
                call: "pthread_create",
                Errno(rawValue: failed)
            )
            for lookup in stranded { lookup.completion(.failure(error)) }
        }
        return id
    }

    private func runThread() {
        while true {
            let next = state.withLock { state -> Lookup? in
                guard !state.queue.isEmpty else {
                    state.threads -= 1
                    return nil
                }
                return state.queue.removeFirst()
            }
            guard let next else { return }
            next.completion(Self.lookUp(next.host))
        }
    }

    private static func lookUp(_ host: String) -> Result<[SocketAddress], TransportError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { return .failure(.resolveFailed(host: host, code: code)) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
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
                if let address = SocketAddress(storage), !addresses.contains(address) {
                    addresses.append(address)
                }
            }
            unsafe next = entry.pointee.ai_next
        }
        guard !addresses.isEmpty else {
            return .failure(.resolveFailed(host: host, code: EAI_NONAME))
        }
        return .success(addresses)
    }
}

extension TransportError {
    /// The C library's text for an `EAI_…` code of `.resolveFailed`.
    package static func resolveReason(_ code: Int32) -> String {
        guard let text = unsafe gai_strerror(code) else { return "error \(code)" }
        // SAFETY: gai_strerror returns a static string.
        return unsafe String(cString: text)
    }
}
