import Glibc
import SocketTransport
import Support
import Testing

@Suite struct OutputFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `a file is created next to its target and replaces it when moved`() throws {
        let target = try directory.write("old", as: "name")
        let file = try OutputFile.create(beside: target)
        let other = try OutputFile.create(beside: target)
        #expect(file.path != other.path)
        #expect(file.path.hasPrefix("\(directory.path)/.name."))
        try file.write(Array("world".utf8), at: 5)
        try file.write(Array("hello".utf8), at: 0)
        #expect(try file.size == 10)
        try file.truncate(to: 7)
        #expect(TestFileSystem.contents(of: target) == Array("old".utf8))
        try file.move(to: target)
        #expect(TestFileSystem.contents(of: target) == Array("hellowo".utf8))
        try other.remove()
        #expect(TestFileSystem.names(in: directory.path) == ["name"])
    }

    @Test func `a file can be created readable only by its owner`() throws {
        let target = "\(directory.path)/name"
        let file = try OutputFile.create(beside: target, permissions: 0o600)
        try file.write([1], at: 0)
        try file.flush()
        try file.move(to: target)
        var status = stat()
        #expect(unsafe stat(target, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `a partial file is reopened by its name next to the target`() throws {
        let target = "\(directory.path)/name"
        let path = try #require(PartialFileName(target: target)?.randomPath())
        let name = TargetPath(path).name
        try directory.write("abc", as: name)
        let file = try OutputFile.reopen(name, beside: target)
        #expect(try file.size == 3)
        try file.write([0x64], at: 3)
        #expect(TestFileSystem.contents(of: path) == Array("abcd".utf8))
        #expect(throws: OutputFile.OutputError.locked) {
            try OutputFile.reopen(name, beside: target)
        }
        #expect(throws: OutputFile.OutputError.locked) {
            try OutputFile.remove(name, beside: target)
        }
        file.release()
        try OutputFile.remove(name, beside: target)
        let gone = OutputFile.OutputError.system(.noSuchFile)
        #expect(throws: gone) { try OutputFile.reopen(name, beside: target) }
        #expect(throws: gone) { try OutputFile.remove(name, beside: target) }
    }

    @Test(arguments: [
        "precious", "", ".", "..", ".name.part", ".name..part", ".name.abcdefg.part",
        ".name.abcdefghi.part", ".name.ABCDEFGH.part", ".name.abc/efgh.part",
        ".other.abcdefgh.part",
        ".name.abcdefgh.par", "name.abcdefgh.part", ".name.abcdefgh.part/",
        "../.name.abcdefgh.part",
    ])
    func `a name that does not belong to the target is rejected`(name: String) throws {
        let target = "\(directory.path)/name"
        if !name.isEmpty, !name.contains("/"), !name.hasSuffix("."), name != ".." {
            try directory.write("abc", as: name)
        }
        let names = TestFileSystem.names(in: directory.path)
        #expect(throws: OutputFile.OutputError.notPartialFile) {
            try OutputFile.reopen(name, beside: target)
        }
        #expect(throws: OutputFile.OutputError.notPartialFile) {
            try OutputFile.remove(name, beside: target)
        }
        #expect(TestFileSystem.names(in: directory.path) == names)
    }

    /// A file system entry that is not accepted as a partial file, in spite of its name.
    enum InvalidFile: CaseIterable {
        case directory, pipe, pipeWithReader, link, secondLink, otherOwner
    }

    @Test(arguments: InvalidFile.allCases)
    func `only a regular file of this user with one link is reopened or removed`(
        invalidFile: InvalidFile
    ) throws {
        let target = "\(directory.path)/name"
        let path = try #require(PartialFileName(target: target)?.fixedPaths.first)
        let precious = try directory.write("abc", as: "precious")
        var reader: Int32 = -1
        defer { if reader >= 0 { close(reader) } }
        switch invalidFile {
        case .directory: #expect(unsafe mkdir(path, 0o700) == 0)
        case .pipe: #expect(unsafe mkfifo(path, 0o600) == 0)
        case .pipeWithReader:
            #expect(unsafe mkfifo(path, 0o600) == 0)
            // A pipe can be opened for writing only if it has a reader.
            reader = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            #expect(reader >= 0)
        case .link: #expect(unsafe symlink(precious, path) == 0)
        case .secondLink: #expect(unsafe link(precious, path) == 0)
        case .otherOwner:
            // Only root can change the owner of a file.
            guard geteuid() == 0 else { return }
            try directory.write("abc", as: TargetPath(path).name)
            #expect(unsafe chown(path, 1, 1) == 0)
        }
        let names = TestFileSystem.names(in: directory.path)
        let name = TargetPath(path).name
        #expect(throws: OutputFile.OutputError.notPartialFile) {
            try OutputFile.reopen(name, beside: target)
        }
        #expect(throws: OutputFile.OutputError.notPartialFile) {
            try OutputFile.remove(name, beside: target)
        }
        OutputFile.removeLeftovers(beside: target)
        #expect(TestFileSystem.names(in: directory.path) == names)
        #expect(TestFileSystem.contents(of: precious) == Array("abc".utf8))
    }

    @Test func `leftovers are removed, except files in use`() throws {
        let target = "\(directory.path)/name"
        let used = try OutputFile.create(beside: target)
        let paths = try #require(PartialFileName(target: target)?.fixedPaths)
        #expect(Set(paths).count == 8)
        #expect(used.path == paths[0])
        for path in paths.dropFirst() { try directory.write("abc", as: TargetPath(path).name) }
        try directory.write("abc", as: ".name.abcdefgh.part")
        try directory.write("abc", as: ".named.abcdefgh.part")
        OutputFile.removeLeftovers(beside: target)
        let kept = [used.path, "/.name.abcdefgh.part", "/.named.abcdefgh.part"]
            .map { TargetPath($0).name }
        #expect(TestFileSystem.names(in: directory.path) == kept.sorted())
        used.release()
        OutputFile.removeLeftovers(beside: target)
        #expect(TestFileSystem.names(in: directory.path) == kept.dropFirst().sorted())
    }

    @Test func `a file is created even if all fixed names are in use`() throws {
        let target = "\(directory.path)/name"
        let paths = try #require(PartialFileName(target: target)?.fixedPaths)
        var files: [OutputFile] = []
        for _ in 0..<10 { files.append(try OutputFile.create(beside: target)) }
        #expect(Set(files.map(\.path)).count == 10)
        #expect(files.filter { !paths.contains($0.path) }.count == 2)
        let own = try #require(PartialFileName(target: target))
        for file in files {
            let name = TargetPath(file.path).name
            #expect(own.matches(name))
        }
    }

    @Test func `a target that is not a regular file, or links to one, is rejected`() throws {
        let directoryError = OutputFile.OutputError.system(.isDirectory)
        let missing = OutputFile.OutputError.system(.noSuchFile)
        #expect(throws: directoryError) { try OutputFile.create(beside: directory.path) }
        #expect(throws: directoryError) { try OutputFile.create(beside: "\(directory.path)/") }
        #expect(throws: directoryError) { try OutputFile.create(beside: "") }
        #expect(throws: missing) { try OutputFile.create(beside: "\(directory.path)/no/a") }
        #expect(throws: missing) { try OutputFile.create(beside: "\(directory.path)/a\0b") }
        // A symbolic link, so that a bug cannot create files beside the machine's device.
        let device = "\(directory.path)/device"
        #expect(unsafe symlink("/dev/null", device) == 0)
        #expect(throws: OutputFile.OutputError.notRegularFile) {
            try OutputFile.create(beside: device)
        }
        #expect(TestFileSystem.names(in: directory.path) == ["device"])
        let file = try OutputFile.create(beside: "\(directory.path)/a")
        #expect(unsafe mkfifo("\(directory.path)/a", 0o600) == 0)
        #expect(throws: OutputFile.OutputError.notRegularFile) {
            try file.move(to: "\(directory.path)/a")
        }
    }

    @Test func `a file name of the maximum length is accepted`() throws {
        let target = "\(directory.path)/\(String(repeating: "é", count: 127))"
        let file = try OutputFile.create(beside: target)
        try file.move(to: target)
        #expect(TestFileSystem.contents(of: target) == [])
        let other = try #require(PartialFileName(target: target.dropLast() + "e"))
        let long = try #require(PartialFileName(target: target))
        let (paths, others) = (Set(long.fixedPaths), Set(other.fixedPaths))
        #expect(paths.isDisjoint(with: others))
        let name = TargetPath(file.path).name
        #expect(long.matches(name) && !other.matches(name))
    }
}
