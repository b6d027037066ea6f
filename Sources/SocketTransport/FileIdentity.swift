/// The values that distinguish a partial file from a later file with the same name.
///
/// Names of partial files and inode numbers are reused. The fraction of a second in the
/// modification time is therefore random; see ``OutputFile/stampIdentity()``.
package struct FileIdentity: Sendable, Hashable {
    /// The inode number in the file system.
    package let inode: UInt64
    /// The size in bytes.
    package let size: UInt64
    /// The modification time in nanoseconds since 1970.
    package let modified: UInt64

    package init(inode: UInt64, size: UInt64, modified: UInt64) {
        self.inode = inode
        self.size = size
        self.modified = modified
    }
}
