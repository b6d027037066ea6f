internal import HTTPClient

/// The version of the program.
enum Version {
    /// The version number in `--version` and in User-Agent.
    static let number = "0.1.0"
    /// The output of `--version`.
    static var text: String {
        """
        fetch \(number) HTTP/1.1
        Features: IDN (UTS 46, by libidn2)
        Public suffixes: \(PublicSuffixList.builtIn.version ?? "") (built in), or a newer list in
        \(PublicSuffixList.systemPath)
        """
    }
}
