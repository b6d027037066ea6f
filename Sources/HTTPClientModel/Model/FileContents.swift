internal import SocketTransport

/// Blocking functions that read and replace small files as a whole.
package enum FileContents {
    /// Returns whether the file does not exist.
    package static func isMissing(_ path: String) -> Bool {
        do {
            _ = try FileReader(path: path)
            return false
        } catch {
            return error == .system(.noSuchFile)
        }
    }

    /// Reads all of a regular file.
    ///
    /// - Throws: `.fileFailed`, also when the file has more than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(HTTPError) -> [UInt8] {
        let reader: FileReader
        do {
            reader = try FileReader(path: path)
        } catch {
            throw Self.error(path, .open, error.reason)
        }
        var bytes: [UInt8] = []
        while true {
            let piece: [UInt8]
            do {
                piece = try reader.read(1 << 18, at: bytes.count)
            } catch {
                throw Self.error(path, .read, error.reason)
            }
            guard !piece.isEmpty else { return bytes }
            bytes += piece
            guard bytes.count <= limit else {
                throw Self.error(path, .read, "it has more than \(limit) bytes")
            }
        }
    }

    /// Replaces or creates a file atomically; only its owner can read and write it.
    ///
    /// When this function returns, the file and its directory entry are on disk.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(HTTPError) {
        var step = HTTPError.FileOperation.create
        do throws(OutputFile.OutputError) {
            let file = try OutputFile.create(beside: path, permissions: 0o600)
            OutputFile.removeLeftovers(beside: path)
            do throws(OutputFile.OutputError) {
                step = .write
                try fill(file, with: bytes)
                step = .rename
                try file.move(to: path)
            } catch {
                // Report the first error, not one of the cleanup.
                try? file.remove()
                throw error
            }
            do throws(Errno) {
                try OutputFile.flushDirectory(of: path)
            } catch {
                throw .system(error)
            }
        } catch {
            throw Self.error(path, error == .notRegularFile ? .replace : step, error.description)
        }
    }

    private static func fill(
        _ file: OutputFile,
        with bytes: [UInt8]
    ) throws(OutputFile.OutputError) {
        do {
            try file.write(bytes, at: 0)
            try file.flush()
        } catch {
            throw .system(error)
        }
    }

    /// Creates a directory that only its owner can access, unless it exists already.
    package static func makeDirectory(_ path: String) throws(HTTPError) {
        do throws(Errno) {
            try Directory.make(path)
        } catch {
            throw Self.error(path, .create, error.description)
        }
    }

    package static func error(
        _ path: String,
        _ step: HTTPError.FileOperation,
        _ reason: String,
        underlying: (any Error)? = nil
    ) -> HTTPError {
        HTTPError(
            .fileFailed(path: path, step, reason: reason),
            phase: .preparing,
            underlying: underlying
        )
    }
}
