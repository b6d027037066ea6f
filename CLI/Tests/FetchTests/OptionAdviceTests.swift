import HTTPClient
import Testing
import fetch

@Suite struct OptionAdviceTests {
    private func certificate(_ kind: TLSFailureReason.CertificateReason.Kind) -> HTTPError.Kind {
        .tlsFailed(
            .certificate(
                TLSFailureReason.CertificateReason(
                    kind: kind,
                    reason: "",
                    depth: 0,
                    subject: "",
                    issuer: ""
                )
            )
        )
    }

    @Test func `the advice names the option that avoids the failure`() {
        func advice(_ kind: HTTPError.Kind) -> String {
            kind.optionAdvice(maxTime: .milliseconds(300)) ?? ""
        }
        for kind in [
            TLSFailureReason.CertificateReason.Kind.selfSigned, .untrustedRoot, .missingIssuer,
        ] {
            #expect(advice(certificate(kind)).contains("--cacert"))
        }
        #expect(advice(.timedOut(.total)) == "--max-time limits the whole transfer to 0.3 seconds")
        #expect(advice(.timedOut(.establish)).contains("--connect-timeout"))
        #expect(advice(.timedOut(.throughput)).contains("--speed-limit"))
    }

    @Test func `a failure that no option avoids has no advice`() {
        #expect(certificate(.expired).optionAdvice(maxTime: nil) == nil)
        #expect(HTTPError.Kind.cancelled.optionAdvice(maxTime: nil) == nil)
        #expect(HTTPError.Kind.timedOut(.body).optionAdvice(maxTime: nil) == nil)
    }
}
