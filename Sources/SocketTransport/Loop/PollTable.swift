/// Remembers who is told what happens to each registered descriptor.
///
/// A token carries a generation besides the place, so that an event of a descriptor that has been
/// forgotten reaches nobody, even when its place has a new owner.
struct PollTable {
    private struct Entry {
        var target: (any PollTarget)?
        var generation: UInt32
    }

    private var entries: [Entry] = []
    private var free: [Int] = []

    /// All who are registered.
    var targets: [any PollTarget] { entries.compactMap(\.target) }

    /// Adds a target; the token is what the poller reports for its descriptor, and never 0.
    mutating func add(_ target: any PollTarget) -> (Registration, token: UInt64) {
        let index: Int
        if let last = free.popLast() {
            index = last
        } else {
            index = entries.count
            entries.append(Entry(target: nil, generation: 0))
        }
        entries[index].target = target
        let token = UInt64(entries[index].generation) << 32 | UInt64(index + 1)
        return (Registration(index: index), token)
    }

    /// The target that a token was made for; nil when it has been forgotten since.
    func target(for token: UInt64) -> (any PollTarget)? {
        let entry = entries[Int(UInt32(truncatingIfNeeded: token)) - 1]
        return entry.generation == UInt32(token >> 32) ? entry.target : nil
    }

    mutating func retarget(_ registration: Registration, to target: any PollTarget) {
        entries[registration.index].target = target
    }

    mutating func remove(_ registration: Registration) {
        entries[registration.index].target = nil
        entries[registration.index].generation &+= 1
        free.append(registration.index)
    }
}

/// Names a registered descriptor of one loop.
struct Registration {
    fileprivate let index: Int
}

/// Is told what happens to its descriptor, on the loop's thread.
protocol PollTarget: AnyObject {
    func becameReady(_ events: PollEvents)
    /// The loop ends: close, and end a wait under way.
    func loopStopped()
}
