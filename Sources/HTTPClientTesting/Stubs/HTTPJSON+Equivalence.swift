internal import HTTPClient

extension HTTPJSON {
    /// Returns whether both are equal: members in any order, numbers by value.
    func isEquivalent(to other: HTTPJSON) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            // Members with the same name keep their order, because the reader decides which one
            // counts.
            let (own, others) = (Self.grouped(left), Self.grouped(right))
            return own.allSatisfy { name, values in
                guard let found = others[name], found.count == values.count else { return false }
                return zip(values, found).allSatisfy { $0.isEquivalent(to: $1) }
            }
        default:
            if let left = int, let right = other.int { return left == right }
            if let left = uint, let right = other.uint { return left == right }
            if let left = double, let right = other.double { return left == right }
            return self == other
        }
    }

    /// Returns the values of each name; names are bytes, because Swift treats more strings as
    /// equal.
    private static func grouped(_ members: [Member]) -> [[UInt8]: [HTTPJSON]] {
        Dictionary(grouping: members) { Array($0.name.utf8) }.mapValues { $0.map(\.value) }
    }
}
