/// The destination of a response body: a file or standard output.
///
/// The file is created when the first byte arrives, or at the end of a successful transfer. A
/// failed transfer therefore does not change an existing file. A resumed transfer never changes the
/// bytes that the file already has.
final class Destination {
    /// The file's name; nil for standard output.
    let path: String?
    private let resumeOffset: Int
    private let createsDirectories: Bool
    private let isPrivate: Bool
    private let protectsTerminal: Bool
    private let synchronizes: Bool
    private var descriptor: Int32?
    private var isUnwritten = true
    /// Whether standard output has received part of a body.
    private var hasPartialOutput = false

    /// Creates a destination without opening it.
    ///
    /// - Parameters:
    ///   - path: the file; nil for standard output. `-` is standard output by explicit request.
    ///   - resumeOffset: the number of existing bytes to append to; 0 to overwrite the file.
    ///   - createsDirectories: whether to create missing parent directories.
    ///   - isPrivate: whether only the owner may access the file, even if it exists already.
    ///   - synchronizes: whether the complete file must survive a power failure.
    init(
        _ path: String?,
        resumingAt resumeOffset: Int = 0,
        createsDirectories: Bool = false,
        isPrivate: Bool = false,
        synchronizes: Bool = false
    ) {
        self.synchronizes = synchronizes
        self.path = path == "-" ? nil : path
        self.resumeOffset = resumeOffset
        self.createsDirectories = createsDirectories
        self.isPrivate = isPrivate
        protectsTerminal = path == nil && SystemFile.isTerminal(SystemFile.output)
        if self.path == nil { descriptor = SystemFile.output }
    }

    deinit {
        if path != nil, let descriptor { try? SystemFile.close(descriptor) }
    }

    /// Whether the bytes go to a terminal.
    var isTerminal: Bool { path == nil && SystemFile.isTerminal(SystemFile.output) }

    /// Opens the file if the destination is one and it is not open yet.
    func open() throws(FetchError) {
        guard descriptor == nil, let path else { return }
        guard resumeOffset == 0 || SystemFile.size(path) == resumeOffset else {
            throw FetchError(.badResume, "The file \(path) has changed since the transfer began")
        }
        do {
            if createsDirectories { try SystemFile.makeDirectories(for: path) }
            descriptor = try SystemFile.create(
                path,
                appending: resumeOffset > 0,
                mode: isPrivate ? 0o600 : 0o666
            )
            if isPrivate, let descriptor { try SystemFile.makePrivate(descriptor) }
        } catch {
            throw FetchError(.writeFailed, "Failed to open the file \(path): \(error.reason)")
        }
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) throws(FetchError) {
        try open()
        guard let descriptor else { return }
        if protectsTerminal, isUnwritten, bytes.contains(0) {
            throw FetchError(
                .writeFailed,
                "Binary output can mess up your terminal: use \"-o -\" to get it anyway"
            )
        }
        isUnwritten = false
        hasPartialOutput = true
        do {
            try SystemFile.write(bytes, to: descriptor)
        } catch {
            throw FetchError(.writeFailed, "Failure writing output to destination: \(error.reason)")
        }
    }

    /// The descriptor for code that writes the rest of a body itself, without showing the bytes.
    ///
    /// It is nil before the first bytes are written: they open the file, and show whether they belong on a terminal.
    var openDescriptor: Int32? { isUnwritten ? nil : descriptor }

    /// Keeps what was written when a transfer is retried, because it is complete.
    func commit() { hasPartialOutput = false }

    /// Discards what was written, before a transfer is retried.
    ///
    /// Bytes on standard output cannot be taken back. curl appends the new body to the partial one,
    /// which yields unusable output; fetch does not retry.
    ///
    /// - Returns: false when standard output has part of a body.
    func rollBack() throws(FetchError) -> Bool {
        guard let path else { return !hasPartialOutput }
        guard let descriptor else { return true }
        do {
            try SystemFile.truncate(descriptor, to: resumeOffset)
        } catch {
            throw FetchError(.writeFailed, "Failed to truncate the file \(path): \(error.reason)")
        }
        return true
    }

    /// What to do with a file that was not written to, at the end of a transfer.
    enum Ending {
        /// Create an empty file, because the body is empty.
        case createFile
        /// Leave an existing file alone, because no body was to be written.
        case leaveFile
    }

    /// Completes a successful transfer.
    func finish(_ ending: Ending = .createFile) throws(FetchError) {
        if ending == .createFile { try open() }
        guard path != nil, let descriptor else { return }
        self.descriptor = nil
        do {
            if synchronizes, let path { try SystemFile.synchronize(descriptor, at: path) }
            try SystemFile.close(descriptor)
        } catch {
            throw FetchError(.writeFailed, "Failure writing output to destination: \(error.reason)")
        }
    }
}
