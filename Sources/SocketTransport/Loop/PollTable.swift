/// The targets that receive the events of each registered descriptor.
///
/// A token contains an index and a generation. An event of an unregistered descriptor is therefore
/// dropped, even if another descriptor uses its index.
struct PollTable {
    private struct Entry {
        var target: (any PollTarget)?
        var generation: UInt32
    }

    private var entries: [Entry] = []
    private var free: [Int] = []

    /// All registered targets.
    var targets: [any PollTarget] { entries.compactMap(\.target) }

    /// Adds a target and returns the token that the poller reports for its descriptor; never 0.
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

    /// Returns the target of a token; nil if it has been unregistered since.
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

/// A handle to a registered descriptor of one loop.
struct Registration {
    fileprivate let index: Int
}

/// A receiver of the events of a descriptor, on the loop's thread.
protocol PollTarget: AnyObject {
    func becameReady(_ events: PollEvents)
    /// Closes the descriptor and ends the wait in progress, because the loop ends.
    func loopStopped()
}
