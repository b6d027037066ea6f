internal import HTTPClient

/// Holds the version of the program.
enum Version {
    /// As `--version` and the User-Agent field say it.
    static let number = "0.1.0"
    /// What `--version` prints.
    static var text: String {
        """
        fetch \(number) HTTP/1.1
        Features: IDN (UTS 46, by libidn2)
        Public suffixes: \(PublicSuffixList.builtIn.version ?? "") (built in), or a newer list in
        \(PublicSuffixList.systemPath)
        """
    }
}
