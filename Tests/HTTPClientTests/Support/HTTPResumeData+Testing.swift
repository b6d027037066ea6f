import Glibc
import HTTPClient
import SocketTransport
import Wire

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
        let uri = try? URI(parsing: url)
        self.init(
            DownloadJournal(
                url: uri.map { DownloadJournal.comparable($0) } ?? url,
                origin: uri?.origin.map { "\($0)" } ?? "",
                validator: validator,
                total: total,
                digest: nil,
                written: offset,
                synced: offset,
                boot: BootIdentity.current,
                inode: isThere ? UInt64(status.st_ino) : 0,
                file: name,
                modified: UInt64(time.tv_sec * 1_000_000_000 + time.tv_nsec)
            ),
            target: target
        )
    }
}
