import Glibc
package import HTTPClient
import SocketTransport

extension HTTPResumeData {
    /// Creates data for a partial file that a test has written, with the file's current identity.
    package init(
        url: String,
        validator: String,
        offset: Int,
        total: Int?,
        target: String,
        name: String
    ) {
        var status = stat()
        let path = TargetPath(target).directory + name
        let isThere = unsafe lstat(path, &status) == 0
        let time = status.st_mtim
        let part = FileIdentity(
            inode: isThere ? UInt64(status.st_ino) : 0,
            size: UInt64(status.st_size),
            modified: UInt64(time.tv_sec * 1_000_000_000 + time.tv_nsec)
        )
        self.init(
            url: url,
            origin: nil,
            validator: validator,
            offset: offset,
            total: total,
            target: target,
            name: name,
            part: part
        )
    }
}
