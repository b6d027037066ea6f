import Glibc

/// Prints the steps of the tour and counts those that went well.
struct Report {
    /// Says that a step did not do what it should.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private(set) var steps = 0
    private(set) var passed = 0

    /// Runs a step, prints what it returns, and notes whether it threw.
    mutating func step(
        _ title: String,
        _ run: (@escaping @Sendable (String) -> Void) async throws -> Void
    ) async {
        steps += 1
        show("\(steps < 10 ? " " : "")\(steps). \(title)")
        let start = ContinuousClock.now
        do {
            try await run { show("      \($0)") }
            passed += 1
            show("    ✓ \((ContinuousClock.now - start).formattedMilliseconds)")
        } catch {
            show("    ✗ \(error)")
        }
    }
}

/// Prints a line at once, also into a pipe.
func show(_ line: String) {
    print(line)
    fflush(nil)
}

extension Duration {
    /// Such as `1.5 ms`.
    var formattedMilliseconds: String {
        let tenths = self / .microseconds(100)
        return "\((tenths.rounded() / 10)) ms"
    }
}
