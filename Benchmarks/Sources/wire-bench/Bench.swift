import CAllocations
import Glibc

/// The input of a benchmark: its name, and the size of one pass over it.
protocol BenchInput {
    var label: String { get }
    /// The number of messages in one pass.
    var count: Int { get }
    /// The number of bytes in one pass.
    var byteCount: Int { get }
}

/// A benchmark that times passes over an input and prints the line.
struct Bench {
    private let name: String
    private let label: String
    private let count: Int
    private let byteCount: Int

    init(_ name: String, _ input: any BenchInput) {
        self.name = name
        label = input.label
        count = input.count
        byteCount = input.byteCount
    }

    /// Runs passes for a tenth of a second, then 11 samples of 12 ms each.
    ///
    /// The body returns the number of bytes that it processed, which must be all of them.
    func run(_ body: () throws -> Int) throws {
        if let text = getenv("ROUNDS"), let rounds = Int(String(cString: text)) {
            for _ in 0..<rounds { try check(try body()) }
            return
        }
        let passes = try calibrate(body)
        if getenv("PACED") != nil { return try sampleOnDemand(max(1, passes / 6), body) }
        var samples: [Double] = []
        for _ in 0..<11 {
            samples.append(Double(try time(passes, body)) / Double(passes * count))
        }
        samples.sort()
        let before = allocations_of_this_thread()
        for _ in 0..<8 { try check(try body()) }
        let made = allocations_of_this_thread() - before
        let median = samples[samples.count / 2]
        let bytes = Double(byteCount) / Double(count)
        let allocations =
            allocations_are_counted() != 0 ? fixed(Double(made) / Double(8 * count), 2) : "-"
        print(
            "bench=\(name) input=\(label) ns=\(fixed(median, 1))",
            "min_ns=\(fixed(samples[0], 1)) bytes=\(fixed(bytes, 0))",
            "gbps=\(fixed(bytes / samples[0], 2)) allocs=\(allocations) names=1"
        )
    }

    /// Takes and prints one sample for each byte read from standard input, until its end.
    private func sampleOnDemand(_ passes: Int, _ body: () throws -> Int) throws {
        var byte: UInt8 = 0
        while read(0, &byte, 1) == 1 {
            let taken = Double(try time(passes, body)) / Double(passes * count)
            let line = Array("\(fixed(taken, 2))\n".utf8)
            guard write(1, line, line.count) == line.count else { throw BenchError.outputClosed }
        }
    }

    /// Returns the number of passes that take about 12 ms, and warms up caches meanwhile.
    private func calibrate(_ body: () throws -> Int) throws -> Int {
        var passes = 1
        while true {
            let taken = try time(passes, body)
            if taken > 100_000_000 {
                return max(1, passes * 12_000_000 / Int(taken))
            }
            passes *= 2
        }
    }

    private func time(_ passes: Int, _ body: () throws -> Int) throws -> UInt64 {
        let start = nanoseconds()
        var bytes = 0
        for _ in 0..<passes { bytes &+= try body() }
        let end = nanoseconds()
        guard bytes == passes * byteCount else { throw BenchError.wrongByteCount }
        return end - start
    }

    private func check(_ bytes: Int) throws {
        guard bytes == byteCount else { throw BenchError.wrongByteCount }
    }

    private func nanoseconds() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    /// Formats a number with this many decimal places.
    private func fixed(_ value: Double, _ decimals: Int) -> String {
        guard decimals > 0 else { return String(Int(value.rounded())) }
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        let scaled = Int((value * Double(scale)).rounded())
        let rest = String(scaled % scale)
        let zeros = String(repeating: "0", count: decimals - rest.count)
        return "\(scaled / scale).\(zeros)\(rest)"
    }
}

enum BenchError: Error {
    case wrongByteCount
    case headIncomplete
    case outputClosed
    case unreadable(String)
}
