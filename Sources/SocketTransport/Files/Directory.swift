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

    /// Returns the status of a file; nil if there is none.
    ///
    /// A symbolic link is not followed.
    package static func status(of path: String) throws(Errno) -> FileStatus? {
        try Syscalls.fileStatus(at: path)
    }

    /// Removes a file, or a symbolic link itself; does nothing if there is none.
    package static func removeFile(_ path: String) throws(Errno) {
        do {
            try Syscalls.remove(path)
        } catch .noSuchFile {
            // Another process has removed it.
        }
    }
}
