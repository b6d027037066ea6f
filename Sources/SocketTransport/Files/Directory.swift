/// Reaches directories; blocks while it does.
package enum Directory {
    /// Lists what is in it, sorted by name, without `.` and `..`.
    package static func names(in path: String) throws(Errno) -> [String] {
        try Syscalls.names(inDirectory: path)
    }

    /// Makes one that only its owner may enter, in a directory that is there; one that is there stays as
    /// it is.
    package static func make(_ path: String) throws(Errno) {
        try Syscalls.makeDirectory(path, 0o700)
    }
}
