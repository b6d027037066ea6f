package import Wire

// To change what a download keeps when its body is lost, or requests next, change this file. `FileDownload` has the
// loop around the bodies, and `CallDriver+Downloads` retries. `DownloadStateTests` needs no socket; `InCallResumeTests`
// shows the whole.

/// The bytes that a download has, and the requests and responses that can continue them.
///
/// A pure value: it opens no file and sends nothing. ``FileDownload`` does both, and reports here what
/// happened.
package struct DownloadState: Sendable, Equatable {
    /// The requests of a download, as far as resuming depends on them.
    package enum RequestKind: Sendable, Equatable {
        /// A GET of the whole resource, whose rest can be requested.
        case resumable
        /// The same, for a caller who asked to continue an earlier call.
        case continuation
        /// A request with its own Range field.
        case ownRange
        /// A request with another method, which can only be repeated as a whole.
        case other
    }

    /// The reason why a body ended before its end.
    package enum BodyFailure: Sendable, Equatable {
        /// The connection was lost, or the call ended early. The bytes before that are correct.
        case interruption
        /// The body contradicts its head or its digest. Its bytes must not be used.
        case corruption
    }

    /// The number of bytes of the resource in the file, from its start, without a gap.
    package private(set) var written: Int
    /// The bytes beyond ``written`` that the file has; empty unless parts of it were downloaded.
    package private(set) var parts = ByteRangeSet()
    /// The size of the whole resource in bytes; nil if no response has stated it.
    package private(set) var total: Int?
    /// The validator of the representation that the bytes belong to.
    ///
    /// Nil if there is none, so that the client cannot request the rest.
    package private(set) var validator: String?
    /// The origin that sent the bytes; nil if there are none.
    package private(set) var origin: String?
    /// The number of bytes that an earlier call had downloaded; 0 if the download started over.
    package private(set) var resumedOffset: Int
    private let kind: RequestKind
    /// Whether the caller verifies the complete file, so that a rest needs no validator.
    private let isVerified: Bool
    /// Whether a response of this call has had the resource, or a part of it.
    private var isUnderWay = false
    /// Whether a range of the resource has the same bytes as the body in the file.
    private var isContinuable: Bool
    /// The offset in the file at which the body of the current response begins.
    private var responseStart: Int
    /// The maximum size of the part that the next request asks for; nil if it asks for the rest.
    private var partSize: Int?

    /// Creates the state of a download that starts from the beginning.
    ///
    /// - Parameters:
    ///   - kind: the request.
    ///   - isVerified: whether the caller verifies the complete file with a digest.
    package init(_ kind: RequestKind, isVerified: Bool = false) {
        self.kind = kind
        self.isVerified = isVerified
        isContinuable = false
        (written, resumedOffset, responseStart) = (0, 0, 0)
    }

    /// Creates the state of a download that an earlier call has begun.
    ///
    /// - Parameters:
    ///   - offset: the number of bytes in the file.
    ///   - total: the size of the resource, if it is known.
    ///   - validator: the validator of the bytes; nil if the server sent none.
    ///   - origin: the origin that sent the bytes.
    ///   - parts: the bytes beyond `offset` that the file has. Default: none.
    ///   - isVerified: whether the caller verifies the complete file with a digest.
    package init(
        resumingAt offset: Int,
        of total: Int?,
        _ validator: String?,
        from origin: String,
        parts: ByteRangeSet = ByteRangeSet(),
        isVerified: Bool = false
    ) {
        kind = .continuation
        self.isVerified = isVerified
        isContinuable = true
        (written, resumedOffset, responseStart) = (offset, offset + parts.count, offset)
        self.parts = parts
        self.total = total
        self.validator = validator
        self.origin = origin
    }

    /// Whether the client can request the rest of the bytes.
    ///
    /// That needs a validator, or a digest of the complete file, which finds a wrong rest.
    package var isResumable: Bool { validator != nil || isVerified && isContinuable }

    /// The bytes of the resource in the file.
    package var ranges: ByteRangeSet { ByteRangeSet(first: written).union(parts) }

    /// The number of bytes of the resource in the file.
    package var completed: Int { written + parts.count }

    /// The size that the file needs for its bytes.
    package var end: Int { max(written, parts.end) }

    /// Whether the caller requests the whole resource with GET.
    private var isWhole: Bool { kind == .resumable || kind == .continuation }

    /// Makes the next requests ask for a part of at most this size, if that can be verified.
    ///
    /// That is the case for the whole resource, and for the rest of one with a validator.
    package mutating func requestParts(of size: Int) {
        guard isWhole, validator != nil || completed == 0 else { return }
        partSize = size
    }

    /// Whether the next request asks for a part.
    package var requestsPart: Bool { nextPart != nil }

    /// The bytes that the next request asks for; nil if it asks for the rest.
    package var nextPart: Range<Int>? {
        guard let partSize else { return nil }
        guard let gap = ranges.gaps(below: total ?? .max).first else { return nil }
        return gap.lowerBound..<min(gap.upperBound, gap.lowerBound + min(partSize, .max >> 1))
    }

    /// Forgets the bytes of the file, so that the next request asks for the whole resource.
    package mutating func startOver() {
        let isUnderWay = isUnderWay
        self = DownloadState(kind, isVerified: isVerified)
        self.isUnderWay = isUnderWay
    }

    /// Whether only a response with the resource may follow, and no other success such as 204.
    private var isContinuation: Bool {
        kind == .continuation || isUnderWay && kind != .other
    }

    /// The range that the next request asks for.
    package var rangeRequest: DownloadDecision.RangeRequest {
        if let part = nextPart {
            return DownloadDecision.RangeRequest(
                offset: part.lowerBound,
                end: part.upperBound,
                validator: validator ?? "",
                total: total,
                isContinuation: isContinuation
            )
        }
        guard isResumable else { return withoutRange }
        return DownloadDecision.RangeRequest(
            offset: written,
            validator: validator ?? "",
            total: total,
            isContinuation: isContinuation
        )
    }

    /// Decides what a response means for the file, and updates the state for its body.
    ///
    /// After ``DownloadDecision/fullBody(total:)`` the file must be emptied. After any other decision
    /// it must have ``written`` bytes.
    ///
    /// - Parameters:
    ///   - status: the status of the response.
    ///   - headers: its header fields.
    ///   - answering: the origin that sent it.
    ///   - isVerbatim: whether the body is delivered as the server sent it. A part of a body that an
    ///     interceptor transforms does not continue the file.
    /// - Returns: the decision.
    package mutating func receive(
        _ status: HTTPStatus,
        _ headers: HTTPHeaders,
        from answering: String?,
        isVerbatim: Bool
    ) -> DownloadDecision {
        // The client requests a range only from the origin that sent the first bytes.
        let isFirst = rangeRequest.isFirstPart
        let asked = isFirst || answering == origin ? rangeRequest : withoutRange
        var decision = DownloadDecision.decide(status, headers, asked)
        if isFirst, !isVerbatim, case .partialBody = decision { decision = .wholeRequired }
        if status == .ok || status == .partialContent || status == .nonAuthoritativeInformation {
            isUnderWay = true
        }
        switch decision {
        case .fullBody(let total):
            (written, resumedOffset, responseStart) = (0, 0, 0)
            parts = ByteRangeSet()
            partSize = nil
            self.total = total
            origin = answering
            // A transformed or coded body has other bytes than a range of the resource.
            isContinuable =
                isWhole && status == .ok && isVerbatim && !headers.isContentCoded
            validator = isContinuable ? DownloadDecision.validator(in: headers) : nil
        case .partialBody(let total):
            self.total = total
            responseStart = written
            guard isFirst else { break }
            origin = answering
            isContinuable = true
            validator = DownloadDecision.validator(in: headers)
        case .wholeRequired: startOver()
        case .complete, .unsuccessful, .mismatch: break
        }
        return decision
    }

    /// Records that bytes of the body were written to the file.
    package mutating func write(_ count: Int) {
        written += count
    }

    /// Records that bytes of a part were written to the file.
    package mutating func write(_ range: Range<Int>) {
        parts.insert(range)
        guard let first = parts.ranges.first, first.lowerBound <= written else { return }
        written = max(written, first.upperBound)
        parts.remove(first)
    }

    /// Records that the last bytes were removed from the file.
    package mutating func giveUp(_ count: Int) {
        guard parts.isEmpty else {
            parts.remove(parts.end - count..<parts.end)
            return
        }
        written -= count
    }

    /// Records that only these bytes of the file are certain.
    package mutating func keep(only ranges: ByteRangeSet) {
        written = ranges.prefix
        parts = ranges.subtracting(first: written)
        responseStart = min(responseStart, written)
    }

    /// Records that the body of the current response failed.
    package mutating func fail(_ failure: BodyFailure) {
        if failure == .corruption { written = responseStart }
    }

    /// The request of the whole resource, or of the caller's own range.
    private var withoutRange: DownloadDecision.RangeRequest {
        DownloadDecision.RangeRequest(
            hasOwnRange: kind == .ownRange,
            isContinuation: isContinuation
        )
    }
}

extension DownloadState.BodyFailure {
    /// Creates the reason for the failure of a body.
    package init(_ kind: HTTPError.Kind) {
        switch kind {
        case .digestMismatch, .digestMissing, .malformedDigest, .codingFailed, .rangeMismatch:
            self = .corruption
        default: self = .interruption
        }
    }
}

extension HTTPHeaders {
    /// Whether Content-Encoding states a coding other than identity.
    var isContentCoded: Bool {
        values(.contentEncoding).contains { value in
            ListSyntax.elements(of: value).contains { $0.lowercasedASCII != "identity" }
        }
    }
}
