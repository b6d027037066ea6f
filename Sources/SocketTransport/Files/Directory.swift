/// Blocking operations on directories.
package enum Directory {
    /// Returns the names in the directory, sorted, without `.` and `..`.
    package static func names(in path: String) throws(Errno) -> [String] {
        try Syscalls.names(inDirectory: path)
    }

    /// Creates a directory with mode 0o700; an existing one is left unchanged.
    ///
    /// Its parent directory must exist.
    package static func make(_ path: String) throws(Errno) {
        try Syscalls.makeDirectory(path, 0o700)
    }
}
