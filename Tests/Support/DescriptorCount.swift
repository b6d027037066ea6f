internal import Glibc

/// Counts of the process's open resources, to verify that a test released everything.
///
/// Tests run concurrently in one process, so other tests change a plain count. Prefer
/// ``connected(toPort:)`` with the port of the test's own server.
package enum DescriptorCount {
    /// Returns the number of open descriptors of the process.
    package static func open() -> Int {
        descriptors().count
    }

    /// Returns the number of open files, pipes and sockets of the process.
    ///
    /// The descriptors that threads wait with (epoll, eventfd) are left out, because a client starts threads
    /// when it needs them.
    package static func openFiles() -> Int {
        descriptors().count { descriptor in
            var target = [CChar](repeating: 0, count: 16)
            let length = unsafe readlink("/proc/self/fd/\(descriptor)", &target, target.count)
            let name = target.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }
            return !name.isEmpty && !name.starts(with: "anon_inode:".utf8)
        }
    }

    /// Returns the number of this process's sockets whose peer is `port`.
    ///
    /// These are the sockets of the client's side, not of the server's.
    package static func connected(toPort port: Int) -> Int {
        descriptors().count { TestSocket.peerPort($0) == port }
    }

    /// Whether a socket of this process whose peer is `port` has input, or its peer has closed it.
    package static func hasInput(fromPort port: Int) -> Bool {
        descriptors().contains { descriptor in
            guard TestSocket.peerPort(descriptor) == port else { return false }
            var wish = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&wish, 1, 0) == 1
        }
    }

    /// Returns the number of sockets whose peer is `port` and that a child would inherit.
    package static func inherited(toPort port: Int) -> Int {
        descriptors().count {
            TestSocket.peerPort($0) == port && fcntl($0, F_GETFD) & FD_CLOEXEC == 0
        }
    }

    /// Returns a socket option's value on the only socket of this process whose peer is `port`.
    package static func option(_ name: Int32, level: Int32, toPort port: Int) -> Int32? {
        let fitting = descriptors().filter { TestSocket.peerPort($0) == port }
        guard fitting.count == 1 else { return nil }
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(fitting[0], level, name, &value, &length) == 0 else { return nil }
        return value
    }

    /// Adds status flags to the sockets of this process whose peer is `port` (`F_SETFL`).
    package static func add(_ flags: Int32, toSocketsWithPeerPort port: Int) {
        for descriptor in descriptors() where TestSocket.peerPort(descriptor) == port {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | flags)
        }
    }

    /// Adds status flags to the descriptors of this process for the file with this absolute path.
    package static func add(_ flags: Int32, toFile path: String) {
        for descriptor in descriptors() {
            var target = [CChar](repeating: 0, count: 4096)
            let length = unsafe readlink("/proc/self/fd/\(descriptor)", &target, target.count)
            let bytes = target.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }
            guard bytes.elementsEqual(path.utf8) else { continue }
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | flags)
        }
    }

    /// Limits the process to `count` further descriptors; only for exit tests.
    package static func limitFurtherDescriptors(_ count: Int) {
        let highest = descriptors().max() ?? 2
        let limit = UInt(highest) + 1 + UInt(count)
        // All numbers below the limit are filled, so that only new descriptors count.
        var limits = rlimit(rlim_cur: limit, rlim_max: limit)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        let used = Set(descriptors())
        let free = (0...highest).filter { !used.contains($0) }.count
        for _ in 0..<free { _ = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
    }

    /// Returns the number of threads of the process.
    package static func threads() -> Int {
        TestFileSystem.names(in: "/proc/self/task").count
    }

    /// Returns the number of threads whose name (at most 15 bytes) starts with `prefix`.
    package static func threads(named prefix: String) -> Int {
        TestFileSystem.names(in: "/proc/self/task").count { task in
            TestFileSystem.contents(of: "/proc/self/task/\(task)/comm")?.starts(with: prefix.utf8)
                ?? false
        }
    }

    /// Polls until `count` is `expected` or the time limit is reached.
    ///
    /// Closing descriptors and ending threads takes a moment.
    ///
    /// - Returns: the last count.
    package static func waitUntilStable(
        at expected: Int,
        within limit: Duration = .seconds(2),
        _ count: @Sendable () -> Int
    ) async -> Int {
        let end = ContinuousClock.now + limit
        var last = count()
        while last != expected, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(2))
            last = count()
        }
        return last
    }

    /// Returns the open descriptors, without the one that reads the directory itself.
    private static func descriptors() -> [Int32] {
        TestFileSystem.names(in: "/proc/self/fd").compactMap { Int32($0) }.filter {
            fcntl($0, F_GETFD) >= 0
        }
    }
}
