/// Is a file that is being written, under a name of its own until it is complete.
///
/// Its functions block; they are for threads that may wait for a disk. Two writers at a time are the
/// caller's mistake, and do no more than mix their octets.
package final class OutputFile: Sendable {
    /// Where it is until ``move(to:)``.
    package let path: String
    private let descriptor: Descriptor

    private init(_ path: String, _ descriptor: consuming Descriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Makes a file beside `target`, in the same folder, so that it can be moved there at once.
    ///
    /// Its name is hidden, begins with the target's and cannot be guessed.
    ///
    /// - Parameters:
    ///   - target: the name that it is to have.
    ///   - permissions: its mode, less the umask: 0o666, or 0o600 for what only its owner may read.
    /// - Returns: an empty file.
    /// - Throws: what the system says; `EISDIR` when the target is a folder.
    package static func make(
        beside target: String,
        permissions: UInt32 = 0o666
    ) throws(Errno) -> OutputFile {
        guard !Syscalls.isFolder(target) else { throw .isFolder }
        let (folder, name) = split(target)
        guard !name.isEmpty else { throw .isFolder }
        var attempts = 0
        while true {
            let path = "\(folder).\(shortened(name)).\(mark()).part"
            do {
                return OutputFile(path, try Syscalls.createFile(path, permissions))
            } catch .exists where attempts < 100 {
                attempts += 1
            }
        }
    }

    /// Whether a name leads to a device, a pipe or a socket: nothing that a file should take the place
    /// of.
    package static func isSpecial(_ path: String) -> Bool { Syscalls.isSpecial(path) }

    /// Opens a file that was begun before.
    ///
    /// - Throws: `ENOENT` when it is gone; `EINVAL` when it is no file.
    package static func reopen(_ path: String) throws(Errno) -> OutputFile {
        let file = OutputFile(path, try Syscalls.openFileForWriting(path))
        _ = try file.size
        return file
    }

    /// Its octets.
    package var size: UInt64 {
        get throws(Errno) {
            guard let size = try Syscalls.fileSize(descriptor.rawValue) else { throw .invalid }
            return size
        }
    }

    /// Writes all of `bytes` at a place, counted from 0.
    package func write(_ bytes: [UInt8], at offset: UInt64) throws(Errno) {
        try Syscalls.write(descriptor.rawValue, bytes.span, at: offset)
    }

    /// Cuts off what lies behind `size`.
    package func truncate(to size: UInt64) throws(Errno) {
        try Syscalls.truncate(descriptor.rawValue, to: size)
    }

    /// Waits until what was written is on the disk, and would outlive a loss of power.
    package func flush() throws(Errno) {
        try Syscalls.synchronize(descriptor.rawValue)
    }

    /// Gives it the name it is meant to have, in place of a file that has it now.
    package func move(to target: String) throws(Errno) {
        try Syscalls.rename(path, to: target)
    }

    /// Deletes it.
    package func remove() throws(Errno) {
        try Syscalls.remove(path)
    }

    /// Deletes a file.
    package static func remove(_ path: String) throws(Errno) {
        try Syscalls.remove(path)
    }

    /// The folder with its slash, empty for the present one, and the name in it.
    private static func split(_ path: String) -> (folder: Substring, name: Substring) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path[...]) }
        let start = path.utf8.index(after: slash)
        return (path[..<start], path[start...])
    }

    /// No name may have more than 255 octets, and ours adds some.
    private static func shortened(_ name: Substring) -> String {
        var short = ""
        for character in name {
            guard short.utf8.count + character.utf8.count <= 200 else { break }
            short.append(character)
        }
        return short
    }

    private static func mark() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<8).map { _ in letters[Int.random(in: letters.indices)] })
    }
}
