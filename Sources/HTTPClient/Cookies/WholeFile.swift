internal import SocketTransport

/// Reads and replaces small files as a whole; blocks while it does.
enum WholeFile {
    /// Whether there is no file of that name.
    static func isMissing(_ path: String) -> Bool {
        do {
            _ = try FileReader(path: path)
            return false
        } catch {
            return error == .system(.noSuchFile)
        }
    }

    /// Reads all of a regular file.
    ///
    /// - Throws: `.fileFailed`; also when it has more than `limit` octets.
    static func read(_ path: String, limit: Int) throws(HTTPError) -> [UInt8] {
        let reader: FileReader
        do {
            reader = try FileReader(path: path)
        } catch {
            throw fault(path, .open, reason(error))
        }
        var octets: [UInt8] = []
        while true {
            let piece: [UInt8]
            do {
                piece = try reader.read(1 << 18, at: octets.count)
            } catch {
                throw fault(path, .read, reason(error))
            }
            guard !piece.isEmpty else { return octets }
            octets += piece
            guard octets.count <= limit else {
                throw fault(path, .read, "it has more than \(limit) octets")
            }
        }
    }

    /// Writes a file that only its owner may read, in place of one of that name: all of it or nothing.
    ///
    /// When it returns, the file and its name are on the disk.
    static func replace(_ path: String, with octets: [UInt8]) throws(HTTPError) {
        var step = FileStep.create
        do throws(OutputFile.Fault) {
            let file = try OutputFile.make(beside: path, permissions: 0o600)
            OutputFile.removeLeftovers(beside: path)
            do throws(OutputFile.Fault) {
                step = .write
                try fill(file, with: octets)
                step = .rename
                try file.move(to: path)
            } catch {
                // The first fault is the one to tell.
                try? file.remove()
                throw error
            }
            do throws(Errno) {
                try OutputFile.flushFolder(of: path)
            } catch {
                throw .system(error)
            }
        } catch {
            throw fault(path, error == .special ? .replace : step, error.description)
        }
    }

    private static func fill(
        _ file: OutputFile,
        with octets: [UInt8]
    ) throws(OutputFile.Fault) {
        do {
            try file.write(octets, at: 0)
            try file.flush()
        } catch {
            throw .system(error)
        }
    }

    /// Makes a directory for its owner alone, unless it is there.
    static func makeDirectory(_ path: String) throws(HTTPError) {
        do throws(Errno) {
            try Directory.make(path)
        } catch {
            throw fault(path, .create, error.description)
        }
    }

    static func fault(
        _ path: String,
        _ step: FileStep,
        _ reason: String,
        underlying: (any Error)? = nil
    ) -> HTTPError {
        HTTPError(
            .fileFailed(path: path, step, reason: reason),
            phase: .preparing,
            underlying: underlying
        )
    }

    private static func reason(_ fault: FileReader.Fault) -> String {
        switch fault {
        case .system(let errno): errno.description
        case .notRegular: "it is not a regular file"
        }
    }
}
