package import SocketTransport

/// The reason why a store cannot do what was asked.
package enum CacheStoreError: Error, Sendable, Hashable {
    /// A step of the work on a file.
    package enum Step: Sendable, Hashable {
        case open
        case read
        case create
        case write
        case rename
        case remove
        case lock
        case list
    }

    /// A system call failed.
    case system(Errno, Step, path: String)
    /// A file cannot be replaced or moved, because another file has its name.
    case output(OutputFile.OutputError, Step, path: String)
    /// A storage of the application threw an error.
    case storage(reason: String, Step, object: String)
    /// Another process holds the lock of the directory.
    case locked(path: String)
    /// A file is damaged, or does not belong to the entry; it is not used any more.
    case damaged(path: String)
    /// The response, with its head, is larger than the limit in bytes.
    case tooLarge(limit: Int)
    /// The appended bytes are not the content that the response describes.
    case lengthMismatch(stored: Int, described: Int)
    /// The response to a request that was sent later is stored.
    case superseded
    /// A field of the response cannot be stored, because HTTP cannot express it.
    case invalidField
    /// The writer has ended.
    case closed
    /// OpenSSL provides no SHA-256.
    case noDigest
}

extension CacheStoreError {
    /// Whether the disk, or the user's share of it, is full.
    var isDiskFull: Bool {
        switch self {
        case .system(let errno, _, _), .output(.system(let errno), _, _):
            errno.isFull
        default: false
        }
    }
}

extension CacheStoreError: CustomStringConvertible {
    /// The reason in words.
    package var description: String {
        switch self {
        case .system(let errno, let step, let path): "cannot \(step) \(path): \(errno)"
        case .output(let error, let step, let path): "cannot \(step) \(path): \(error)"
        case .storage(let reason, let step, let object):
            "the storage cannot \(step) \(object): \(reason)"
        case .locked(let path): "another process has locked \(path)"
        case .damaged(let path): "\(path) is damaged"
        case .tooLarge(let limit): "the response has more than \(limit) bytes"
        case .lengthMismatch(let stored, let described):
            "the content has \(stored) bytes instead of \(described)"
        case .superseded: "the response to a later request is stored"
        case .invalidField: "a field of the response is invalid"
        case .closed: "the writer has ended"
        case .noDigest: "SHA-256 is not available"
        }
    }
}
