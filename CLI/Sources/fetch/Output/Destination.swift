/// Takes what a transfer yields to a file or to standard output.
///
/// A file is made when the first byte comes, or at the end of a transfer that went well: a failed
/// one leaves what is there alone. One that goes on behind what a file holds never changes that.
final class Destination {
    /// The file's name; nil for standard output.
    let path: String?
    private let resumeOffset: Int
    private let createsDirectories: Bool
    private let isPrivate: Bool
    private let protectsTerminal: Bool
    private var descriptor: Int32?
    private var isUnwritten = true
    /// What is on standard output is a part of something.
    private var hasPartialOutput = false

    /// Makes a destination; opens nothing.
    ///
    /// - Parameters:
    ///   - path: nil stands for standard output, and so does `-`, which is then said on purpose.
    ///   - resumeOffset: bytes that the file holds and goes on behind; 0 to write it anew.
    ///   - createsDirectories: makes those that the file lies in.
    ///   - isPrivate: the file is for its owner alone, also when it is there already.
    init(
        _ path: String?,
        resumingAt resumeOffset: Int = 0,
        createsDirectories: Bool = false,
        isPrivate: Bool = false
    ) {
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

    /// Whether the bytes go where a person reads them.
    var isTerminal: Bool { path == nil && SystemFile.isTerminal(SystemFile.output) }

    /// Opens the file now, if there is one to open.
    func open() throws(FetchError) {
        guard descriptor == nil, let path else { return }
        guard resumeOffset == 0 || SystemFile.size(path) == resumeOffset else {
            throw FetchError(.badResume, "The file \(path) has changed meanwhile")
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

    /// Writes all of it.
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

    /// Lets what was written stand when a transfer begins anew: it is complete by itself.
    func commit() { hasPartialOutput = false }

    /// Throws away what was written, for a transfer that begins anew.
    ///
    /// What standard output has stays there. curl goes on behind a part of a body as well; nobody could
    /// use what comes of that.
    ///
    /// - Returns: false when a part of a body is on standard output.
    func rollBack() throws(FetchError) -> Bool {
        guard let path else { return !hasPartialOutput }
        guard let descriptor else { return true }
        do {
            try SystemFile.truncate(descriptor, to: resumeOffset)
        } catch {
            throw FetchError(.writeFailed, "Failed to cut the file \(path): \(error.reason)")
        }
        return true
    }

    /// What the end of a transfer does to a file that was not written to.
    enum Ending {
        /// An empty body makes an empty file.
        case createFile
        /// Nothing was to be written: what is there stays.
        case leaveFile
    }

    /// Ends a transfer that went well.
    func finish(_ ending: Ending = .createFile) throws(FetchError) {
        if ending == .createFile { try open() }
        guard path != nil, let descriptor else { return }
        self.descriptor = nil
        do {
            try SystemFile.close(descriptor)
        } catch {
            throw FetchError(.writeFailed, "Failure writing output to destination: \(error.reason)")
        }
    }
}
