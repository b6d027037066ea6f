import HTTPClient
import Testing
import fetch

@Suite struct OptionAdviceTests {
    private func certificate(_ kind: TLSCertificateFailureReason.Kind) -> HTTPError.Kind {
        .tlsFailed(
            .certificate(
                TLSCertificateFailureReason(
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
        for kind in [TLSCertificateFailureReason.Kind.selfSigned, .untrustedRoot, .missingIssuer] {
            #expect(certificate(kind).optionAdvice?.contains("--cacert") == true)
        }
        #expect(HTTPError.Kind.timedOut(.total).optionAdvice?.contains("--max-time") == true)
        #expect(
            HTTPError.Kind.timedOut(.establish).optionAdvice?.contains("--connect-timeout") == true
        )
        #expect(
            HTTPError.Kind.timedOut(.throughput).optionAdvice?.contains("--speed-limit") == true
        )
    }

    @Test func `a failure that no option avoids has no advice`() {
        #expect(certificate(.expired).optionAdvice == nil)
        #expect(HTTPError.Kind.cancelled.optionAdvice == nil)
        #expect(HTTPError.Kind.timedOut(.body).optionAdvice == nil)
    }
}
