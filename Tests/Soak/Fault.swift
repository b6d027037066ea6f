import HTTPClient

/// Names what the origin does to a request, beside answering it.
///
/// ``outcomes`` is the table of what the client may make of each.
enum Fault: Sendable, Hashable, CaseIterable {
    /// Answers in order.
    case none

    // Before the answer.
    case closeBefore
    case resetBefore
    case stall
    case garbage
    case delay

    // In the head.
    case closeInHead
    case resetInHead
    case stallInHead
    case oversizedHead

    // In the body of the answer.
    case closeInBody
    case resetInBody
    case stallInBody
    case garbageInChunks
    case damagedGzip
    case oversizedBody

    // The answer comes in pieces, with pauses.
    case slowAnswer

    // After the answer.
    case announcedClose
    case silentClose
    case silentReset
    /// A whole answer that nobody asked for, in the same segment.
    case secondAnswer
    /// Rubbish while the connection is idle.
    case lateGarbage
    case lateClose
    case lateReset
    /// An end of the sending side while the connection is idle; the origin still reads.
    case lateHalfClose
    /// A whole answer that no request asked for, while the connection is idle.
    case lateAnswer

    // While a large body is coming in.
    case slowReading
    /// 200 before the body is read, which is read nevertheless.
    case earlySuccess
    /// 413 and an end of the sending side; the body is read to its end.
    case earlyRejection
    /// 413 and a close on top of unread bytes, which makes the kernel send RST.
    case rejectionWithReset

    /// The faults that any request may meet.
    static let common: [Fault] = [
        .closeBefore, .resetBefore, .stall, .garbage, .delay, .closeInHead, .resetInHead,
        .stallInHead, .oversizedHead, .slowAnswer, .announcedClose, .silentClose, .silentReset,
        .secondAnswer, .lateGarbage, .lateClose, .lateReset, .lateHalfClose,
    ]
    /// Those of an idle connection, which callers that are alone on it wait for between two calls.
    ///
    /// A late answer is among these alone. If it meets a request on its way, no client can tell it from the
    /// answer to that request.
    static let betweenCalls: [Fault] = [
        .lateGarbage, .lateAnswer, .lateClose, .lateHalfClose, .lateReset,
    ]
    /// Those that need a body in the answer.
    static let ofBodies: [Fault] = [
        .closeInBody, .resetInBody, .stallInBody, .garbageInChunks, .damagedGzip, .oversizedBody,
    ]
    /// Those that need a large body in the request.
    static let ofUploads: [Fault] = [
        .slowReading, .earlySuccess, .earlyRejection, .rejectionWithReset,
    ]

    /// What may come of it, when nothing on our side intervenes.
    var outcomes: Set<Outcome> {
        switch self {
        case .none, .delay, .slowAnswer, .announcedClose, .silentClose, .secondAnswer,
            .lateGarbage, .lateAnswer, .lateClose, .lateHalfClose, .slowReading, .earlySuccess,
            .earlyRejection:
            [.success]
        // A close on top of a body that is not read yet is a reset.
        case .closeBefore: [.truncated, .lost]
        case .resetBefore: [.lost]
        case .stall, .stallInHead: [.timedOut(.responseHead)]
        case .garbage, .garbageInChunks: [.malformed]
        case .closeInHead, .closeInBody: [.truncated]
        case .resetInHead, .resetInBody: [.lost]
        case .stallInBody: [.timedOut(.body)]
        case .oversizedHead: [.limit]
        case .damagedGzip: [.coding]
        case .oversizedBody: [.tooLarge]
        // The reset may overtake what the client has not read yet.
        case .silentReset, .lateReset, .rejectionWithReset: [.success, .lost]
        }
    }
}

/// What became of a request, as far as it matters here.
enum Outcome: Sendable, Hashable {
    case success
    case lost
    case truncated
    case malformed
    case coding
    case limit
    case tooLarge
    case timedOut(HTTPPhase)
    case cancelled
    /// The body was dropped before its end; what was read is right.
    case dropped
    /// Anything that no fault of this program can give.
    case other(String)

    init(_ error: HTTPError) {
        self =
            switch error.kind {
            case .connectionLost: .lost
            case .truncatedResponse: .truncated
            case .malformedResponse: .malformed
            case .codingFailed: .coding
            case .limitExceeded: .limit
            case .bodyTooLarge: .tooLarge
            case .timedOut(let phase): .timedOut(phase)
            case .cancelled: .cancelled
            default: .other("\(error.kind)")
            }
    }

    var name: String {
        switch self {
        case .success: "right"
        case .lost: "lost"
        case .truncated: "truncated"
        case .malformed: "malformed"
        case .coding: "damaged coding"
        case .limit: "over a limit"
        case .tooLarge: "too large"
        case .timedOut: "timed out"
        case .cancelled: "cancelled"
        case .dropped: "dropped"
        case .other(let text): text
        }
    }
}
