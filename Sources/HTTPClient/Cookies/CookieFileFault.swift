/// Says what is damaged in a file of cookies; never what a cookie holds.
@nonexhaustive public enum CookieFileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line of a Netscape file, counted from 1.
    case line(Int, Problem)
    /// The text is not JSON.
    case json(HTTPJSONFault)
    /// JSON, but not a file of cookies.
    case foreign
    /// A file of cookies that a later version of this library wrote.
    case unknownVersion
    /// A member of a cookie is missing or of another kind; cookies are counted from 0.
    case member(String, cookie: Int)
    /// The members of a cookie are there, but do not make one; see ``Cookie``.
    case cookie(Int)

    /// Says what is wrong with a line.
    @nonexhaustive public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// There are seven columns, of which the value may be missing.
        case columns(Int)
        /// A column that must be TRUE or FALSE is neither; they are counted from 1.
        case flag(column: Int)
        /// The time of its end is no number.
        case time
        /// Its columns do not make a cookie; see ``Cookie``.
        case cookie

        /// What is wrong, in a few words.
        public var description: String {
            switch self {
            case .columns(let count): "it has \(count) columns instead of 7"
            case .flag(let column): "column \(column) is neither TRUE nor FALSE"
            case .time: "column 5 is no time"
            case .cookie: "its columns do not make a cookie"
            }
        }
    }

    /// One line: what is wrong, and where.
    public var description: String {
        switch self {
        case .line(let number, let problem): "line \(number): \(problem)"
        case .json(let fault): "it is not JSON: \(fault)"
        case .foreign: "it is not a file of cookies"
        case .unknownVersion: "a later version of HTTPClient wrote it"
        case .member(let name, let cookie): "cookie \(cookie) has no valid member \"\(name)\""
        case .cookie(let index): "the members of cookie \(index) do not make a cookie"
        }
    }
}
