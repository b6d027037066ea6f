package import FuzzProperties

extension FuzzTarget {
    /// The targets of the client's other parsers.
    package static let client = [
        FuzzTarget("FileFuzz", checkFile),
        FuzzTarget("IdentityFuzz", checkIdentity),
    ]
}
