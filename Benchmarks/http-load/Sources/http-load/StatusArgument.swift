internal import ArgumentParser

/// A list of statuses and ranges of them from the command line, such as `200-299,404`.
struct StatusArgument: ExpressibleByArgument, Sendable {
    private let text: String
    private let ranges: [ClosedRange<Int>]

    /// Creates a list from a text that is known to be one.
    init(text: String) {
        self.text = text
        ranges = Self.ranges(text) ?? []
    }

    init?(argument: String) {
        guard let ranges = Self.ranges(argument) else { return nil }
        text = argument
        self.ranges = ranges
    }

    var defaultValueDescription: String { text }

    func contains(_ code: Int) -> Bool {
        ranges.contains { $0.contains(code) }
    }

    private static func ranges(_ text: String) -> [ClosedRange<Int>]? {
        var ranges: [ClosedRange<Int>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1],
                (100...999).contains(first), (first...999).contains(last)
            else { return nil }
            ranges.append(first...last)
        }
        return ranges
    }
}
