import Glibc

/// A file with given contents in /tmp, deleted at the end of its lifetime.
struct TemporaryFile: ~Copyable {
    let path: String

    init(_ contents: [UInt8]) throws(TemporaryFileFailure) {
        path = "/tmp/transport-test-\(UInt64.random(in: 0 ... .max)).pem"
        // SAFETY: both strings and the array are valid during the calls.
        guard let file = unsafe fopen(path, "wx") else { throw TemporaryFileFailure() }
        let written = unsafe fwrite(contents, 1, contents.count, file)
        guard unsafe fclose(file) == 0, written == contents.count else {
            throw TemporaryFileFailure()
        }
    }

    deinit {
        // SAFETY: as above.
        _ = unsafe remove(path)
    }
}

struct TemporaryFileFailure: Error {}
