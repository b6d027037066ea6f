internal import SocketTransport

// To add advice to a message, add it here. The description of a kind names no setting of the library, because `fetch`
// prints it and has its own options. The tests are `ErrorAdviceTests`.

extension HTTPError {
    /// The change that avoids this error, with the setting's name, or what is left of the call; nil if there is
    /// nothing to say.
    package var advice: String? {
        switch kind {
        case .digestMismatch: partialFile.map { "the received file is \($0)" }
        case .fileTooLarge: "raise maxSize of the download options"
        case .tlsFailed(.certificate(let failure)) where failure.hasUnknownRoot:
            "to trust its authority, set security.trust to .system.adding(.file(…))"
        case .fileFailed(_, _, reason: Errno.isDirectory.description):
            "name the file, or set naming of the download options to .suggested"
        case .fileFailed: partialFile.map { "the received part stays in \($0)" }
        default: nil
        }
    }
}

extension TLSFailureReason.CertificateReason {
    /// Whether the chain would be accepted if another root were trusted.
    fileprivate var hasUnknownRoot: Bool {
        switch kind {
        case .selfSigned, .untrustedRoot, .missingIssuer: true
        default: false
        }
    }
}

extension PhaseTimeouts {
    /// Returns the settings that end a phase, with their values, such as `timeouts.total is 1 s`.
    ///
    /// - Parameter phase: the phase of ``HTTPError/Kind/timedOut(_:)``.
    /// - Returns: nil for a phase that none of these settings ends.
    package func description(of phase: HTTPPhase) -> String? {
        if phase == .throughput {
            return throughput.map { minimum in
                "timeouts.minimumThroughput is \(minimum.bytes) bytes in "
                    + Duration.nanoseconds(minimum.window).secondsText
            }
        }
        let texts = phase.settings(self).filter { $0.limit != .max }.map { setting, limit in
            "timeouts.\(setting) is \(Duration.nanoseconds(limit).secondsText)"
        }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}

extension Duration {
    /// The duration in seconds without needless decimal places, such as `1 s` and `0.25 s`.
    package var secondsText: String {
        let (seconds, rest) = wholeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        // The leading 1 keeps the zeros after the point.
        var decimals = String(rest + 1_000_000_000).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return decimals.isEmpty ? "\(seconds) s" : "\(seconds).\(decimals) s"
    }
}
