import Glibc
import SocketTransport
import Support
import Testing

@Suite struct OutputFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a file is made beside its target and takes its place`() throws {
        let target = try folder.write("old", as: "name")
        let file = try OutputFile.make(beside: target)
        let other = try OutputFile.make(beside: target)
        #expect(file.path != other.path)
        #expect(file.path.hasPrefix("\(folder.path)/.name."))
        try file.write(Array("world".utf8), at: 5)
        try file.write(Array("hello".utf8), at: 0)
        #expect(try file.size == 10)
        try file.truncate(to: 7)
        #expect(Folder.contents(of: target) == Array("old".utf8))
        try file.move(to: target)
        #expect(Folder.contents(of: target) == Array("hellowo".utf8))
        try other.remove()
        #expect(Folder.names(in: folder.path) == ["name"])
    }

    @Test func `a file may be for its owner alone`() throws {
        let target = "\(folder.path)/name"
        let file = try OutputFile.make(beside: target, permissions: 0o600)
        try file.write([1], at: 0)
        try file.flush()
        try file.move(to: target)
        var status = stat()
        #expect(unsafe stat(target, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `a file that was begun goes on`() throws {
        let path = try folder.write("abc", as: "part")
        let file = try OutputFile.reopen(path)
        #expect(try file.size == 3)
        try file.write([0x64], at: 3)
        #expect(Folder.contents(of: path) == Array("abcd".utf8))
        try OutputFile.remove(path)
        #expect(throws: Errno.noSuchFile) { try OutputFile.reopen(path) }
        #expect(throws: Errno.noSuchFile) { try OutputFile.remove(path) }
    }

    @Test func `what is no file, or a link to one, is not written to`() throws {
        #expect(throws: Errno.self) { try OutputFile.reopen(folder.path) }
        #expect(throws: Errno.self) { try OutputFile.reopen("/dev/null") }
        #expect(throws: Errno.noSuchFile) { try OutputFile.reopen("") }
        #expect(throws: Errno.isFolder) { try OutputFile.make(beside: folder.path) }
        #expect(throws: Errno.isFolder) { try OutputFile.make(beside: "\(folder.path)/") }
        #expect(throws: Errno.isFolder) { try OutputFile.make(beside: "") }
        #expect(throws: Errno.noSuchFile) { try OutputFile.make(beside: "\(folder.path)/no/a") }
        #expect(throws: Errno.noSuchFile) { try OutputFile.make(beside: "\(folder.path)/a\0b") }
        #expect(Folder.names(in: folder.path) == [])
    }

    @Test func `a name may be as long as the system lets it be`() throws {
        let target = "\(folder.path)/\(String(repeating: "é", count: 127))"
        let file = try OutputFile.make(beside: target)
        try file.move(to: target)
        #expect(Folder.contents(of: target) == [])
    }
}
