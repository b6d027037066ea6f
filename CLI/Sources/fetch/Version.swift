/// Holds the version of the program.
enum Version {
    /// As `--version` and the User-Agent field say it.
    static let number = "0.1.0"
}
