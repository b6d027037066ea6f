import Glibc

/// The output of the demo, which prints the steps and counts the successful ones.
struct Report {
    /// The error of a step whose result is wrong.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private(set) var steps = 0
    private(set) var passed = 0

    /// Runs a step, prints its result, and records whether it threw.
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

/// Prints a line and flushes it, so that a pipe receives it at once.
func show(_ line: String) {
    print(line)
    fflush(nil)
}

extension Duration {
    /// The duration as text, such as `1.5 ms`.
    var formattedMilliseconds: String {
        let tenths = self / .microseconds(100)
        return "\((tenths.rounded() / 10)) ms"
    }
}
