package import HTTPClient

extension HTTPError.Kind {
    /// The option that avoids this failure, with a verb; nil if there is none to name.
    package var optionAdvice: String? {
        switch self {
        case .tlsFailed(.certificate(let failure)):
            switch failure.kind {
            case .selfSigned, .untrustedRoot, .missingIssuer:
                "--cacert FILE trusts another authority, --insecure accepts every certificate"
            default: nil
            }
        case .timedOut(.total): "--max-time limits the whole transfer"
        case .timedOut(.establish): "--connect-timeout limits connecting"
        case .timedOut(.throughput): "--speed-limit and --speed-time set the minimum"
        default: nil
        }
    }
}
