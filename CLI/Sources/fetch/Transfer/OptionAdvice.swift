package import HTTPClient

extension HTTPError.Kind {
    /// Returns the option that avoids this failure.
    ///
    /// - Parameter maxTime: the value of `--max-time`.
    /// - Returns: the option with a verb; nil if there is none to name.
    package func optionAdvice(maxTime: Duration?) -> String? {
        switch self {
        case .tlsFailed(.certificate(let failure)):
            switch failure.kind {
            case .selfSigned, .untrustedRoot, .missingIssuer:
                "--cacert FILE trusts another authority, --insecure accepts every certificate"
            default: nil
            }
        case .timedOut(.total):
            maxTime.map { "--max-time limits the whole transfer to \($0)" }
                ?? "--max-time limits the whole transfer"
        case .timedOut(.establish): "--connect-timeout limits connecting"
        case .timedOut(.throughput): "--speed-limit and --speed-time set the minimum"
        default: nil
        }
    }
}
