extension HTTPJSON {
    /// Whether both mean the same: members in any order, numbers by their value.
    func isEquivalent(to other: HTTPJSON) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.allSatisfy { member in
                    guard let value = other.member(member.name) else { return false }
                    return member.value.isEquivalent(to: value)
                }
        default:
            if let left = int, let right = other.int { return left == right }
            if let left = uint, let right = other.uint { return left == right }
            if let left = double, let right = other.double { return left == right }
            return self == other
        }
    }
}
