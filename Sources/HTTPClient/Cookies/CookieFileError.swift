/// Says what is damaged in a file of cookies; never what a cookie holds.
@nonexhaustive public enum CookieFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line of a Netscape file, counted from 1.
    case line(Int, LineError)
    /// The text is not JSON.
    case json(HTTPJSONError)
    /// JSON, but not a file of cookies.
    case unrecognizedFormat
    /// A file of cookies that a later version of this library wrote.
    case unknownVersion
    /// A member of a cookie is missing or of another kind; cookies are counted from 0.
    case invalidMember(String, cookie: Int)
    /// The members of a cookie are there, but do not make one; see ``Cookie``.
    case invalidCookie(Int)

    /// Says what is wrong with a line.
    @nonexhaustive public enum LineError: Error, Sendable, Hashable, CustomStringConvertible {
        /// There are seven columns, of which the value may be missing.
        case columnCount(Int)
        /// A column that must be TRUE or FALSE is neither; they are counted from 1.
        case invalidFlag(column: Int)
        /// The time of its end is no number.
        case invalidExpiry
        /// Its columns do not make a cookie; see ``Cookie``.
        case invalidCookie

        /// What is wrong, in a few words.
        public var description: String {
            switch self {
            case .columnCount(let count): "it has \(count) columns instead of 7"
            case .invalidFlag(let column): "column \(column) is neither TRUE nor FALSE"
            case .invalidExpiry: "column 5 is no time"
            case .invalidCookie: "its columns do not make a cookie"
            }
        }
    }

    /// One line: what is wrong, and where.
    public var description: String {
        switch self {
        case .line(let number, let problem): "line \(number): \(problem)"
        case .json(let fault): "it is not JSON: \(fault)"
        case .unrecognizedFormat: "it is not a file of cookies"
        case .unknownVersion: "a later version of HTTPClient wrote it"
        case .invalidMember(let name, let cookie):
            "cookie \(cookie) has no valid member \"\(name)\""
        case .invalidCookie(let index): "the members of cookie \(index) do not make a cookie"
        }
    }
}
