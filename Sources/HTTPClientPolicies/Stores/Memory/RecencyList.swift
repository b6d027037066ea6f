/// Values in the order of their last use; all operations take constant time.
struct RecencyList<Value> {
    private struct Node {
        var value: Value?
        /// The position of the next older value; that of the next free node in a free node.
        var older: Int?
        var newer: Int?
    }

    private var nodes: [Node] = []
    private var free: Int?
    private var newest: Int?
    /// The position of the value that was used longest ago.
    private(set) var oldest: Int?

    /// Adds a value as the most recently used one, and returns its position.
    mutating func insert(_ value: Value) -> Int {
        let position: Int
        if let free {
            position = free
            self.free = nodes[free].older
            nodes[free].value = value
        } else {
            position = nodes.count
            nodes.append(Node(value: value))
        }
        attach(position)
        return position
    }

    /// The value at a position; nil if it was removed.
    subscript(position: Int) -> Value? { nodes[position].value }

    /// Replaces the value at a position, and keeps its place in the order.
    mutating func replace(_ position: Int, with value: Value) { nodes[position].value = value }

    /// Marks a value as the most recently used one.
    mutating func use(_ position: Int) {
        guard position != newest else { return }
        detach(position)
        attach(position)
    }

    /// Removes a value.
    mutating func remove(_ position: Int) {
        detach(position)
        nodes[position] = Node(older: free)
        free = position
    }

    private mutating func attach(_ position: Int) {
        nodes[position].older = newest
        nodes[position].newer = nil
        if let newest { nodes[newest].newer = position } else { oldest = position }
        newest = position
    }

    private mutating func detach(_ position: Int) {
        let (older, newer) = (nodes[position].older, nodes[position].newer)
        if let older { nodes[older].newer = newer } else { oldest = newer }
        if let newer { nodes[newer].older = older } else { newest = older }
    }
}
