internal import Wire

// To change how digests are verified: this file decides which digests count, `VerifierStage` hashes and compares, and a
// new algorithm is a case of `HTTPDigest`. The test is `DigestVerificationTests`.

/// The verification of digests in one call, with the decoding that it delays.
///
/// A digest field covers the coded bytes. So the connection delivers these, and the stages of the
/// check first hash and then decode them. Calls without a check have no such stages.
struct IntegrityCheck: Sendable {
    private let verification: HTTPDigest.Verification
    private let expected: HTTPDigest?
    /// Whether the caller gets decoded bodies.
    private let decompression: HTTPClientSettings.Decompression

    /// Creates the check that a request asks for; nil if it asks for none.
    init?(
        _ request: borrowing HTTPRequest,
        _ clientVerification: HTTPDigest.Verification,
        _ decompression: HTTPClientSettings.Decompression
    ) {
        self.init(cachedCall: request, clientVerification, decompression)
        guard verification != .off || expected != nil else { return nil }
    }

    /// Adds the fields that ask for digests, unless the request or the client has them.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - common: the header fields of the client.
    func addFields(to request: inout HTTPRequest, _ common: HTTPHeaders) {
        guard verification.asksForDigests else { return }
        for name in [DigestFields.wantContentDigest, DigestFields.wantReprDigest]
        where !request.headers.contains(name) && !common.contains(name) {
            request.headers.append(name, DigestFields.wantAny)
        }
    }

    /// Creates the check of a call whose response the cache may store, so that it passes as received.
    init(
        cachedCall request: borrowing HTTPRequest,
        _ clientVerification: HTTPDigest.Verification,
        _ decompression: HTTPClientSettings.Decompression
    ) {
        verification = request.digestVerification ?? clientVerification
        expected = request.expectedDigest
        self.decompression = decompression
    }

    /// Returns the stages of a response, in the order in which they get the received bytes.
    ///
    /// - Parameters:
    ///   - attempt: the attempt that received the response.
    ///   - recording: stores the body as received, after its digests were verified; nil if it is not stored.
    /// - Returns: the stages.
    func stages(
        for attempt: RequestAttempt,
        _ recording: CacheRecording? = nil
    ) -> [BodyStageFactory] {
        guard let head = attempt.received.head else { return [] }
        return stages(for: head, attempt.plan.head.method, attempt.plan.limits, recording)
    }

    /// Returns the stages of a response that was received or stored.
    func stages(
        for head: ResponseHead,
        _ method: HTTPMethod,
        _ limits: WireLimits,
        _ recording: CacheRecording? = nil
    ) -> [BodyStageFactory] {
        let status = head.status
        guard method != .head, status != .noContent, status != .notModified,
            status.kind != .informational
        else { return recording.map { recording in [{ CommitStage(recording) }] } ?? [] }
        let isCoded =
            decompression == .on && status != .partialContent
            && head.headers.contains(.contentEncoding)
        var received = VerifierStage.Expectation()
        if verification != .off { addFieldDigests(to: &received, head, method) }
        // The caller's digest is that of the decoded bytes.
        var decoded = VerifierStage.Expectation()
        if let expected, status.kind == .successful, status != .partialContent {
            if isCoded { decoded.digests = [expected] } else { received.digests.append(expected) }
        }
        var stages: [BodyStageFactory] = []
        if !received.isEmpty { stages.append { [received] in VerifierStage(received) } }
        if let recording { stages.append { RecordingStage(recording) } }
        if isCoded { stages.append { DecoderStage(head.headers, limits) } }
        if !decoded.isEmpty { stages.append { [decoded] in VerifierStage(decoded) } }
        if let recording { stages.append { CommitStage(recording) } }
        return stages
    }

    private func addFieldDigests(
        to expectation: inout VerifierStage.Expectation,
        _ head: ResponseHead,
        _ method: HTTPMethod
    ) {
        var names = [DigestFields.contentDigest]
        // Other responses may describe a representation that is not their content (RFC 9530 §3.1).
        let isWhole =
            method == .get && (head.status == .ok || head.status == .nonAuthoritativeInformation)
        if isWhole { names.append(DigestFields.reprDigest) }
        do throws(DigestFields.MalformedField) {
            for name in names {
                expectation.digests += try DigestFields.digests(name, in: head.headers)
                expectation.algorithmNames +=
                    DigestFields.algorithmNames(name, in: head.headers)
            }
        } catch {
            expectation.malformed = error
        }
        expectation.fieldCount = expectation.digests.count
        // Only a chunked body has trailers. Hashing for them in vain would cost time.
        if expectation.digests.isEmpty, head.headers.contains(.transferEncoding) {
            expectation.trailerNames = names
        }
        expectation.isRequired = verification == .required && head.status.kind == .successful
    }
}

extension RequestAttempt {
    /// Verifies and decodes a collected body.
    ///
    /// - Throws: the error of a stage, a timeout or a cancellation; the bytes decoded so far are its partial body.
    func complete(by stages: [BodyStageFactory]) throws(HTTPError) {
        guard !stages.isEmpty else { return }
        var output = takeBody()
        let pipeline = BodyPipeline(stages)
        do throws(BodyStageError) {
            defer { received.body = output }
            try pipeline.apply(
                to: &output,
                received.trailers,
                upTo: plan.shared.collectLimit,
                until: limits.totalDeadline
            )
        } catch {
            throw self.error(error.kind, underlying: error.underlying)
        }
    }
}

extension ClientCore {
    /// Returns the plan of a single exchange without a driver, with its verification of digests.
    ///
    /// The body is compressed if the request asks for it.
    func planSingle(
        _ request: HTTPRequest
    ) throws(HTTPError) -> (plan: Plan, check: IntegrityCheck?) {
        let check = IntegrityCheck(
            request,
            configuration.settings.digestVerification,
            configuration.settings.decompression
        )
        var request = request
        check?.addFields(to: &request, configuration.settings.headers)
        if request.mayCompress(configuration.settings.headers) {
            request.encodeBody(with: configuration.settings.coders)
            request = request.compressingBody { Deflater.gzip($0) }
        }
        var plan = try plan(request)
        // The check needs the body as received, and decodes it.
        if check != nil { plan.decompression = .off }
        return (plan, check)
    }
}
