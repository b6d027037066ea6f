import Glibc
import SocketTransport
import Support
import Testing

/// Tests which files can be created, moved, deleted and locked, depending on their owner.
@Suite struct OutputFileOwnerTests {
    private let directory: TemporaryDirectory
    private let target: String

    init() throws {
        directory = try TemporaryDirectory()
        target = "\(directory.path)/name"
    }

    /// Runs `body` while new files of this thread belong to another user.
    ///
    /// Some file systems do this: NFS with root_squash, and CIFS with `uid=`.
    private func asOtherOwner<Result>(_ body: () throws -> Result) throws -> Result {
        #expect(unsafe chmod(directory.path, 0o777) == 0)
        guard let program = unsafe dlopen(nil, RTLD_NOW) else { throw CancellationError() }
        defer { unsafe dlclose(program) }
        guard let symbol = unsafe dlsym(program, "setfsuid") else { throw CancellationError() }
        // SAFETY: the symbol is the C library's function with this signature.
        let setUser = unsafe unsafeBitCast(symbol, to: (@convention(c) (UInt32) -> Int32).self)
        _ = setUser(1)
        defer { _ = setUser(0) }
        return try body()
    }

    @Test func `a file is created where the file system reports another owner`() throws {
        // Only root can create files for another user.
        guard geteuid() == 0 else { return }
        let file = try asOtherOwner { try OutputFile.create(beside: target) }
        var status = stat()
        #expect(unsafe stat(file.path, &status) == 0 && status.st_uid == 1)
        #expect(TestFileSystem.names(in: directory.path) == [TargetPath(file.path).name])
        try file.write([1], at: 0)
        try file.move(to: target)
        #expect(TestFileSystem.names(in: directory.path) == ["name"])
    }

    @Test func `a file that lost its name is neither moved nor deleted`() throws {
        let file = try OutputFile.create(beside: target)
        #expect(unsafe unlink(file.path) == 0)
        try directory.write("other", as: TargetPath(file.path).name)
        #expect(throws: OutputFile.OutputError.self) { try file.move(to: target) }
        try file.remove()
        #expect(TestFileSystem.names(in: directory.path) == [TargetPath(file.path).name])
        #expect(TestFileSystem.contents(of: file.path) == Array("other".utf8))
    }

    @Test func `creating a file removes no kept partial file`() throws {
        let paths = try #require(PartialFileName(target: target)?.fixedPaths)
        for path in paths { try directory.write("abc", as: TargetPath(path).name) }
        let file = try OutputFile.create(beside: target)
        #expect(!paths.contains(file.path))
        #expect(paths.allSatisfy { TestFileSystem.contents(of: $0) == Array("abc".utf8) })
        OutputFile.removeLeftovers(beside: target)
        #expect(TestFileSystem.names(in: directory.path) == [TargetPath(file.path).name])
    }

    @Test func `files with names of the maximum length are locked separately`() throws {
        let names = ["a", "b"].map { String(repeating: "n", count: 254) + $0 }
        let locks = try names.map { try FileLock(for: "\(directory.path)/\($0)") }
        #expect(throws: FileLock.LockError.heldElsewhere) {
            try FileLock(for: "\(directory.path)/\(names[0])")
        }
        withExtendedLifetime(locks) {}
    }

    @Test func `a file is reopened only if it has not changed`() throws {
        let file = try OutputFile.create(beside: target)
        try file.write([1, 2, 3], at: 0)
        let identity = try file.stampIdentity()
        file.release()
        let name = TargetPath(file.path).name
        do {
            let again = try OutputFile.reopen(name, beside: target, identity: identity)
            #expect(throws: OutputFile.OutputError.locked) {
                try OutputFile.reopen(name, beside: target, identity: identity)
            }
            try again.write([4], at: 2)
            again.release()
        }
        // First the file has changed content of the same size, then it is another file.
        for _ in 0..<2 {
            #expect(throws: OutputFile.OutputError.replaced) {
                try OutputFile.reopen(name, beside: target, identity: identity)
            }
            #expect(throws: OutputFile.OutputError.replaced) {
                try OutputFile.remove(name, beside: target, identity: identity)
            }
            // Replace it by another file, which another download has locked.
            #expect(unsafe unlink(file.path) == 0)
            let other = try OutputFile.create(beside: target)
            #expect(other.path == file.path)
            try other.write([1, 2, 3], at: 0)
        }
        #expect(TestFileSystem.contents(of: file.path) == [1, 2, 3])
    }

    @Test func `two identity stamps of a file differ`() throws {
        let file = try OutputFile.create(beside: target)
        try file.write([1, 2, 3], at: 0)
        let first = try file.stampIdentity()
        let second = try file.stampIdentity()
        #expect(first.inode == second.inode)
        #expect(first != second)
    }
}
