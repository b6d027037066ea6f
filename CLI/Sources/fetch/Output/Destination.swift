/// Takes what a transfer yields to a file or to standard output.
///
/// A file is made when the first octet comes, or at the end of a transfer that went well: a failed
/// one leaves what is there alone. One that goes on behind what a file holds never changes that.
final class Destination {
    /// The file's name; nil for standard output.
    let path: String?
    private let kept: Int
    private let makesDirectories: Bool
    private let isPrivate: Bool
    private let guardsTerminal: Bool
    private var descriptor: Int32?
    private var isFresh = true
    /// What is on standard output is a part of something.
    private var holdsPart = false

    /// Makes a destination; opens nothing.
    ///
    /// - Parameters:
    ///   - path: nil stands for standard output, and so does `-`, which is then said on purpose.
    ///   - kept: octets that the file holds and goes on behind; 0 to write it anew.
    ///   - makesDirectories: makes those that the file lies in.
    ///   - isPrivate: the file is for its owner alone, also when it is there already.
    init(
        _ path: String?,
        keeping kept: Int = 0,
        makesDirectories: Bool = false,
        isPrivate: Bool = false
    ) {
        self.path = path == "-" ? nil : path
        self.kept = kept
        self.makesDirectories = makesDirectories
        self.isPrivate = isPrivate
        guardsTerminal = path == nil && SystemFile.isTerminal(SystemFile.output)
        if self.path == nil { descriptor = SystemFile.output }
    }

    deinit {
        if path != nil, let descriptor { try? SystemFile.close(descriptor) }
    }

    /// Whether the octets go where a person reads them.
    var isTerminal: Bool { path == nil && SystemFile.isTerminal(SystemFile.output) }

    /// Opens the file now, if there is one to open.
    func open() throws(Failure) {
        guard descriptor == nil, let path else { return }
        guard kept == 0 || SystemFile.size(path) == kept else {
            throw Failure(.badResume, "The file \(path) has changed meanwhile")
        }
        do {
            if makesDirectories { try SystemFile.makeDirectories(for: path) }
            descriptor = try SystemFile.create(
                path,
                appending: kept > 0,
                mode: isPrivate ? 0o600 : 0o666
            )
            if isPrivate, let descriptor { try SystemFile.makePrivate(descriptor) }
        } catch {
            throw Failure(.writeFailed, "Failed to open the file \(path): \(error.reason)")
        }
    }

    /// Writes all of it.
    func write(_ bytes: [UInt8]) throws(Failure) {
        try open()
        guard let descriptor else { return }
        if guardsTerminal, isFresh, bytes.contains(0) {
            throw Failure(
                .writeFailed,
                "Binary output can mess up your terminal: use \"-o -\" to get it anyway"
            )
        }
        isFresh = false
        holdsPart = true
        do {
            try SystemFile.write(bytes, to: descriptor)
        } catch {
            throw Failure(.writeFailed, "Failure writing output to destination: \(error.reason)")
        }
    }

    /// Lets what was written stand when a transfer begins anew: it is complete by itself.
    func keep() { holdsPart = false }

    /// Throws away what was written, for a transfer that begins anew.
    ///
    /// What standard output has stays there. curl goes on behind a part of a body as well; nobody could
    /// use what comes of that.
    ///
    /// - Returns: false when a part of a body is on standard output.
    func takeBack() throws(Failure) -> Bool {
        guard let path else { return !holdsPart }
        guard let descriptor else { return true }
        do {
            try SystemFile.cut(descriptor, to: kept)
        } catch {
            throw Failure(.writeFailed, "Failed to cut the file \(path): \(error.reason)")
        }
        return true
    }

    /// What the end of a transfer does to a file that was not written to.
    enum Ending {
        /// An empty body makes an empty file.
        case makesFile
        /// Nothing was to be written: what is there stays.
        case leavesFile
    }

    /// Ends a transfer that went well.
    func finish(_ ending: Ending = .makesFile) throws(Failure) {
        if ending == .makesFile { try open() }
        guard path != nil, let descriptor else { return }
        self.descriptor = nil
        do {
            try SystemFile.close(descriptor)
        } catch {
            throw Failure(.writeFailed, "Failure writing output to destination: \(error.reason)")
        }
    }
}
