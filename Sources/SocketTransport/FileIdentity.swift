/// What tells a partial file apart from a later one of the same name.
///
/// Names of partial files are used again, and so are the numbers of files. The time of the last change is
/// therefore set to a random fraction of its second; see ``OutputFile/seal()``.
package struct FileIdentity: Sendable, Hashable {
    /// The file's number in its file system.
    package let inode: UInt64
    /// Its size in bytes.
    package let size: UInt64
    /// When it was last changed, in nanoseconds since 1970.
    package let modified: UInt64

    package init(inode: UInt64, size: UInt64, modified: UInt64) {
        self.inode = inode
        self.size = size
        self.modified = modified
    }
}
