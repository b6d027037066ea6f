import ClientSupport
import SocketTransport
import Support

/// A disk in memory that records what fsync covered, and whose power can fail.
///
/// A power failure drops, cuts, or replaces with zeros each write that fsync did not cover. It drops any
/// of the changes of names that no fsync of the directory covered, also in the middle of a series.
final class SimulatedDisk: Sendable {
    /// A change of the bytes of a file that fsync has not covered.
    enum Write: Sendable {
        case bytes([UInt8], at: Int)
        case size(Int)
    }

    struct File: Sendable {
        var bytes: [UInt8] = []
        /// The bytes that survive a power failure.
        var durable: [UInt8] = []
        var writes: [Write] = []
    }

    /// An atomic change of names that no fsync of the directory has covered.
    struct Naming: Sendable {
        var removed: String?
        var added: (name: String, inode: UInt64)?
    }

    struct State: Sendable {
        var files: [UInt64: File] = [:]
        var names: [String: UInt64] = [:]
        var durableNames: [String: UInt64] = [:]
        var namings: [Naming] = []
        var nextInode: UInt64 = 10
        var boot = 1
        /// The number of operations until the process ends; it then fails in each of them.
        var operationsLeft = Int.max
        var random: SeededGenerator
    }

    private let state: Locked<State>

    init(seed: UInt64) {
        state = Locked(State(random: SeededGenerator(seed: seed)))
    }

    /// The identity of the running system.
    var boot: String { state.withLock { "boot-\($0.boot)" } }

    /// Whether the process has ended.
    var hasEnded: Bool { state.withLock { $0.operationsLeft <= 0 } }

    /// Lets the process end after this number of operations.
    func end(after operations: Int) {
        state.withLock { $0.operationsLeft = operations }
    }

    func contents(of name: String) -> [UInt8]? {
        state.withLock { state in state.names[name].flatMap { state.files[$0]?.bytes } }
    }

    /// The content that a file certainly has after a power failure, unless it is replaced or removed before.
    func durableContents(of name: String) -> [UInt8]? {
        state.withLock { state in state.durableNames[name].flatMap { state.files[$0]?.durable } }
    }

    /// Does an operation, unless the process has ended.
    func perform<Value>(
        _ operation: (inout State) throws(Errno) -> Value
    ) throws(Errno) -> Value {
        let result = state.withLock { state -> Result<Value, Errno> in
            state.operationsLeft -= 1
            guard state.operationsLeft > 0 else { return .failure(Errno(rawValue: 5)) }
            do throws(Errno) {
                return .success(try operation(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Ends the system: what no fsync covered may be lost, in any combination.
    func failPower() {
        state.withLock { state in
            var names = state.durableNames
            for naming in state.namings where Bool.random(using: &state.random) {
                if let name = naming.removed { names[name] = nil }
                if let added = naming.added { names[added.name] = added.inode }
            }
            for (inode, file) in state.files.sorted(by: { $0.key < $1.key }) {
                var bytes = file.durable
                for write in file.writes { Self.apply(write, to: &bytes, &state.random) }
                state.files[inode] = File(bytes: bytes, durable: bytes)
            }
            state.names = names
            state.durableNames = names
            state.namings = []
            state.boot += 1
            state.operationsLeft = .max
        }
    }

    /// Applies a write as far as it has reached the disk.
    private static func apply(
        _ write: Write,
        to bytes: inout [UInt8],
        _ random: inout SeededGenerator
    ) {
        let luck = Int.random(in: 0..<4, using: &random)
        guard luck > 0 else { return }
        switch write {
        case .size(let size): resize(&bytes, to: size)
        case .bytes(let new, let offset):
            if bytes.count < offset + new.count { resize(&bytes, to: offset + new.count) }
            let count = luck == 1 ? 0 : luck == 2 ? new.count / 2 : new.count
            bytes.replaceSubrange(offset..<offset + count, with: new[..<count])
        }
    }

    static func resize(_ bytes: inout [UInt8], to size: Int) {
        if bytes.count > size {
            bytes.removeLast(bytes.count - size)
        } else {
            bytes += [UInt8](repeating: 0, count: size - bytes.count)
        }
    }
}

/// A partial file with a journal on a simulated disk.
final class SimulatedFiles: DownloadFiles {
    static let part = "part"
    static let journal = "journal"
    static let target = "target"

    let isNew: Bool
    private let disk: SimulatedDisk
    private let number: UInt64

    /// Opens the partial file, or creates it.
    init(on disk: SimulatedDisk) throws(Errno) {
        self.disk = disk
        (number, isNew) = try disk.perform { state -> (UInt64, Bool) in
            if let inode = state.names[Self.part] { return (inode, false) }
            return (Self.create(Self.part, &state), true)
        }
    }

    private static func create(_ name: String, _ state: inout SimulatedDisk.State) -> UInt64 {
        let inode = state.nextInode
        state.nextInode += 1
        state.files[inode] = SimulatedDisk.File()
        state.names[name] = inode
        state.namings.append(.init(removed: nil, added: (name, inode)))
        return inode
    }

    var path: String { Self.part }

    var size: Int {
        get throws(Errno) { try disk.perform { $0.files[self.number]?.bytes.count ?? 0 } }
    }

    var inode: UInt64 { get throws(Errno) { try disk.perform { _ in self.number } } }

    func read(_ count: Int, at offset: Int) throws(Errno) -> [UInt8] {
        try disk.perform {
            Array(($0.files[self.number]?.bytes ?? []).dropFirst(offset).prefix(count))
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        try disk.perform { state in
            var file = state.files[self.number] ?? .init()
            if file.bytes.count < offset + bytes.count {
                SimulatedDisk.resize(&file.bytes, to: offset + bytes.count)
            }
            file.bytes.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            file.writes.append(.bytes(bytes, at: offset))
            state.files[self.number] = file
        }
    }

    func write(_ pipe: TransferPipe, at offset: Int) throws(Errno) {
        try copy(pipe, at: offset)
    }

    func write(_ extent: FileExtent, at offset: Int) throws(FileExtent.CopyError) {
        try copy(extent, at: offset)
    }

    func truncate(to size: Int) throws(Errno) {
        try disk.perform { state in
            var file = state.files[self.number] ?? .init()
            SimulatedDisk.resize(&file.bytes, to: size)
            file.writes.append(.size(size))
            state.files[self.number] = file
        }
    }

    func preallocate(_ size: Int) throws(Errno) { try disk.perform { _ in } }

    func flush() throws(Errno) {
        try disk.perform { Self.flush(self.number, &$0) }
    }

    private static func flush(_ inode: UInt64, _ state: inout SimulatedDisk.State) {
        guard var file = state.files[inode] else { return }
        file.durable = file.bytes
        file.writes = []
        state.files[inode] = file
    }

    func move(
        to target: String,
        existing: ExistingTarget
    ) throws(OutputFile.OutputError) {
        do throws(Errno) {
            try disk.perform { state in
                state.names[Self.part] = nil
                state.names[target] = self.number
                state.namings.append(.init(removed: Self.part, added: (target, self.number)))
            }
            try removeJournal(.process)
        } catch {
            throw .system(error)
        }
    }

    func flushDirectory(of path: String) throws(Errno) {
        try disk.perform { Self.flushNames(&$0) }
    }

    private static func flushNames(_ state: inout SimulatedDisk.State) {
        state.durableNames = state.names
        state.namings = []
    }

    func remove() throws(Errno) {
        try removeJournal(.process)
        try disk.perform { state in
            state.names[Self.part] = nil
            state.namings.append(.init(removed: Self.part, added: nil))
        }
    }

    func release() {}

    func stampIdentity() throws(OutputFile.OutputError) -> FileIdentity {
        FileIdentity(inode: number, modified: 0)
    }

    var hasJournal: Bool { true }

    func readJournal() -> [UInt8]? {
        try? disk.perform { state in
            state.names[Self.journal].flatMap { state.files[$0]?.bytes }
        }
    }

    func writeJournal(_ text: [UInt8], _ durability: JournalDurability) throws(Errno) {
        let temporary = "temporary"
        try disk.perform { state in
            let inode = Self.create(temporary, &state)
            state.files[inode]?.bytes = text
            state.files[inode]?.writes = [.bytes(text, at: 0)]
        }
        if durability != .process {
            try disk.perform { state in
                if let inode = state.names[temporary] { Self.flush(inode, &state) }
            }
        }
        try disk.perform { state in
            guard let inode = state.names[temporary] else { return }
            state.names[temporary] = nil
            state.names[Self.journal] = inode
            state.namings.append(.init(removed: temporary, added: (Self.journal, inode)))
        }
        if durability == .power { try disk.perform { Self.flushNames(&$0) } }
    }

    func removeJournal(_ durability: JournalDurability) throws(Errno) {
        try disk.perform { state in
            guard state.names[Self.journal] != nil else { return }
            state.names[Self.journal] = nil
            state.namings.append(.init(removed: Self.journal, added: nil))
        }
        if durability == .power { try disk.perform { Self.flushNames(&$0) } }
    }
}
