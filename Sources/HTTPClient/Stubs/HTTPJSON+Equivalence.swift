extension HTTPJSON {
    /// Whether both mean the same: members in any order, numbers by their value.
    func isEquivalent(to other: HTTPJSON) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            // Those that share a name have an order: which of them counts is up to the reader.
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

    /// The values of each name; Swift takes more texts for equal than their bytes are.
    private static func grouped(_ members: [Member]) -> [[UInt8]: [HTTPJSON]] {
        Dictionary(grouping: members) { Array($0.name.utf8) }.mapValues { $0.map(\.value) }
    }
}
