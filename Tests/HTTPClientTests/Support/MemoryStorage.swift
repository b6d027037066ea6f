package import HTTPClient
import SocketTransport

/// A storage of an application, in memory, whose calls and contents a test can observe and change.
package final class MemoryStorage: HTTPCache.Storage {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// A call; `append` is a write at another position than 0.
    package enum Call: Sendable, CaseIterable {
        case read, write, append, remove, list
    }

    private struct State {
        /// The objects, the one that was begun longest ago first.
        var objects: [(name: String, bytes: [UInt8])] = []
        var failures: Set<Call> = []
        /// The end of the names whose calls fail.
        var failingSuffix = ""
        var counts: [Call: Int] = [:]
        /// The number of reads of contents after which they are lost; nil for none.
        var readsUntilLoss: Int?
    }

    private let state = Locked(State())

    package init() {}

    /// The names and bytes of all objects.
    package var objects: [String: [UInt8]] {
        state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.objects.map { ($0.name, $0.bytes) })
        }
    }

    /// The names of all objects with an extension, the one that was begun longest ago first.
    package func names(_ suffix: String = "") -> [String] {
        state.withLock { $0.objects.map(\.name).filter { $0.hasSuffix(suffix) } }
    }

    /// Replaces the bytes of an object; nil removes it.
    package func set(_ name: String, _ bytes: [UInt8]?) {
        state.withLock { state in
            state.objects.removeAll { $0.name == name }
            if let bytes { state.objects.append((name, bytes)) }
        }
    }

    /// Sets the calls that fail from now on, of objects whose name ends in `suffix`.
    package func fail(_ calls: Set<Call>, of suffix: String = "") {
        state.withLock { state in
            state.failures = calls
            state.failingSuffix = suffix
        }
    }

    /// Loses all contents after some reads of them.
    package func loseContents(afterReads count: Int) {
        state.withLock { $0.readsUntilLoss = count }
    }

    /// The number of calls so far.
    package func count(_ call: Call) -> Int { state.withLock { $0.counts[call, default: 0] } }

    package func read(_ name: String, _ positions: Range<Int>) throws -> [UInt8]? {
        try begin(.read, name)
        if name.hasSuffix(".body") {
            state.withLock { state in
                guard let reads = state.readsUntilLoss else { return }
                state.readsUntilLoss = reads > 0 ? reads - 1 : nil
                if reads == 0 { state.objects.removeAll { $0.name.hasSuffix(".body") } }
            }
        }
        return objects[name].map { Array($0[positions.clamped(to: 0..<$0.count)]) }
    }

    package func write(_ bytes: [UInt8], to name: String, at position: Int) throws {
        try begin(position == 0 ? .write : .append, name)
        precondition((1...(1 << 20)).contains(bytes.count))
        try state.withLock { state in
            let index = state.objects.firstIndex { $0.name == name }
            if position == 0 {
                if let index { state.objects.remove(at: index) }
                state.objects.append((name, bytes))
                return
            }
            guard let index else { throw Failure(description: "no object") }
            precondition(state.objects[index].bytes.count == position)
            state.objects[index].bytes += bytes
        }
    }

    package func remove(_ name: String) throws {
        try begin(.remove, name)
        set(name, nil)
    }

    package func list() throws -> [HTTPCache.Object] {
        try begin(.list, "")
        return state.withLock { state in
            state.objects.map { HTTPCache.Object(name: $0.name, byteCount: $0.bytes.count) }
        }
    }

    private func begin(_ call: Call, _ name: String) throws {
        precondition(call == .list || Self.isName(name))
        let fails = state.withLock { state in
            state.counts[call, default: 0] += 1
            return state.failures.contains(call) && name.hasSuffix(state.failingSuffix)
        }
        if fails { throw Failure(description: "no \(call) today") }
    }

    private static func isName(_ name: String) -> Bool {
        (1...96).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
