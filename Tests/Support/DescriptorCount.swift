internal import Glibc

/// Counts what this process holds open, to show that a test gave everything back.
///
/// Tests run beside each other in one process, so a plain count moves for reasons that are not
/// the test's own: prefer ``connected(toPort:)`` with the port of the test's own server.
package enum DescriptorCount {
    /// Descriptors open in the process.
    package static func open() -> Int {
        descriptors().count
    }

    /// Sockets of this process whose peer is `port`: the client's side, not the server's.
    package static func connected(toPort port: Int) -> Int {
        descriptors().count { TestSocket.peerPort($0) == port }
    }

    /// Sockets of this process whose peer is `port` and that a child would inherit.
    package static func inherited(toPort port: Int) -> Int {
        descriptors().count {
            TestSocket.peerPort($0) == port && fcntl($0, F_GETFD) & FD_CLOEXEC == 0
        }
    }

    /// A socket option's value on the only socket of this process whose peer is `port`.
    package static func option(_ name: Int32, level: Int32, toPort port: Int) -> Int32? {
        let fitting = descriptors().filter { TestSocket.peerPort($0) == port }
        guard fitting.count == 1 else { return nil }
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(fitting[0], level, name, &value, &length) == 0 else { return nil }
        return value
    }

    /// Lets the process open no more than `count` further descriptors; for exit tests alone.
    package static func limitFurtherDescriptors(_ count: Int) {
        let highest = descriptors().max() ?? 2
        let limit = UInt(highest) + 1 + UInt(count)
        // Every number below the limit is filled, so that the next ones are counted.
        var limits = rlimit(rlim_cur: limit, rlim_max: limit)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        let used = Set(descriptors())
        let free = (0...highest).filter { !used.contains($0) }.count
        for _ in 0..<free { _ = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
    }

    /// Threads of the process.
    package static func threads() -> Int {
        TestFileSystem.names(in: "/proc/self/task").count
    }

    /// Threads of the process whose name (at most 15 bytes) starts with `prefix`.
    package static func threads(named prefix: String) -> Int {
        TestFileSystem.names(in: "/proc/self/task").count { task in
            TestFileSystem.contents(of: "/proc/self/task/\(task)/comm")?.starts(with: prefix.utf8)
                ?? false
        }
    }

    /// Asks until `count` is `expected` or the time is over; closing and ending take a moment.
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

    /// The descriptor that reads the directory itself is left out.
    private static func descriptors() -> [Int32] {
        TestFileSystem.names(in: "/proc/self/fd").compactMap { Int32($0) }.filter {
            fcntl($0, F_GETFD) >= 0
        }
    }
}
