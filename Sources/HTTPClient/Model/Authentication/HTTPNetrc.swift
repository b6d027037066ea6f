internal import SocketTransport
internal import Wire

/// Holds names and passwords by host, in the format of `~/.netrc`.
///
///     # comments go from here to the end of the line
///     machine example.com login ada password "two words"
///     default login anonymous password guest
///
/// Words are separated by white space and line breaks; one in double quotes may have both, and `\"`, `\\`,
/// `\n`, `\r` and `\t`. `account`, `macdef` and words that are no keywords are read over, and so is a name
/// or a password before the first `machine`; the case of keywords does not matter. A file has no ports and
/// no schemes, so what is for a host is for each of its ports, with and without TLS.
///
/// Who else may read the file is not looked at, as curl does not either.
///
/// Printing shows hosts alone.
public struct HTTPNetrc: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        /// In lower case; nil for `default`.
        let host: String?
        var user: [UInt8]?
        var password: [UInt8]?
    }

    let entries: [Entry]
    /// Reckoned once: a file may be long.
    private let cachedHash: Int

    /// The most bytes that a file may have.
    public static let maxFileBytes = 1 << 20

    /// Reads the text of a file.
    ///
    /// - Throws: `.tooLong`, or `.unterminatedQuote` with its line.
    public init(text: String) throws(HTTPNetrcError) {
        try self.init(bytes: Array(text.utf8))
    }

    /// Reads a file, whatever its passwords are encoded in.
    ///
    /// The thread waits for the disk.
    ///
    /// - Parameter path: of a regular file; `~` means nothing in it.
    /// - Throws: `.unreadable`, `.tooLong`, or `.unterminatedQuote` with its line.
    public init(contentsOf path: String) throws(HTTPNetrcError) {
        let bytes: [UInt8]
        do throws(FileReader.ReadError) {
            bytes = try FileReader(path: path).read(Self.maxFileBytes + 1, at: 0)
        } catch {
            throw .unreadable(path: path, HTTPFileError(error))
        }
        try self.init(bytes: bytes)
    }

    /// Reads what a file has, wherever it came from: a pipe, or another store.
    ///
    /// - Parameter bytes: the whole of it, whatever its passwords are encoded in.
    /// - Throws: `.tooLong`, or `.unterminatedQuote` with its line.
    public init(bytes: [UInt8]) throws(HTTPNetrcError) {
        guard bytes.count <= Self.maxFileBytes else { throw .tooLong(limit: Self.maxFileBytes) }
        var reader = NetrcParser(bytes)
        entries = try reader.entries()
        cachedHash = entries.hashValue
    }

    /// Finds name and password for a host.
    ///
    /// - Parameters:
    ///   - host: a name or an address; ASCII case does not matter.
    ///   - user: whose password is wanted; default nil: of the first entry for the host.
    /// - Returns: nil when there is no entry for the host, or the user, and no `default`. What an entry
    ///   leaves out is empty, but for an entry without a name, which is for every user.
    public func credentials(host: String, user: String? = nil) -> HTTPCredentials? {
        find(host: host, user: user.map { Array($0.utf8) }, takesDefault: true)
    }

    /// Finds name and password for a request, whose URL may name the user.
    ///
    /// `default` is for the host that the call was made to, not for those that it is led to.
    func credentials(for subject: AuthenticationTarget) -> HTTPCredentials? {
        let user = subject.url.userinfo.map {
            PercentCoding.decode(String($0.prefix { $0 != ":" }))
        }
        let isNamed = subject.origin.host == subject.initialOrigin.host
        return find(host: subject.origin.host, user: user, takesDefault: isNamed)
    }

    private func find(host: String, user: [UInt8]?, takesDefault: Bool) -> HTTPCredentials? {
        let host = Origin(scheme: .https, host: host).host
        let entry =
            entries.first { $0.host == host && $0.isFor(user) }
            ?? entries.first { takesDefault && $0.host == nil && $0.isFor(user) }
        guard let entry, entry.user != nil || entry.password != nil else { return nil }
        return HTTPCredentials(user: entry.user ?? user ?? [], password: entry.password ?? [])
    }

    /// Compares what was read.
    public static func == (left: HTTPNetrc, right: HTTPNetrc) -> Bool {
        left.cachedHash == right.cachedHash && left.entries == right.entries
    }

    /// Hashes what was read.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(cachedHash)
    }
}

extension HTTPNetrc.Entry {
    fileprivate func isFor(_ wanted: [UInt8]?) -> Bool {
        wanted == nil || user == nil || user == wanted
    }
}

extension HTTPNetrc: CustomStringConvertible, CustomReflectable {
    /// The hosts; names and passwords are left out, so that they get into no log by accident.
    public var description: String {
        entries.map { $0.host ?? "default" }.joined(separator: ", ")
    }

    /// The hosts alone, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: ["hosts": description]) }
}

/// Says why a netrc file cannot be read; lines count from 1, and no word of the file is repeated.
@nonexhaustive public enum HTTPNetrcError: Error, Sendable, Hashable {
    /// The system refused to open or read it, or it is no regular file.
    case unreadable(path: String, HTTPFileError)
    /// It has more than ``HTTPNetrc/maxFileBytes`` bytes.
    case tooLong(limit: Int)
    /// A quote is not closed.
    case unterminatedQuote(line: Int)
}

extension HTTPNetrcError: CustomStringConvertible {
    /// One line that says what to change.
    public var description: String {
        switch self {
        case .unreadable(let path, let fault): "\(path) cannot be read: \(fault)"
        case .tooLong(let limit): "the netrc is longer than \(limit) bytes"
        case .unterminatedQuote(let line): "the quote in line \(line) of the netrc is not closed"
        }
    }
}
