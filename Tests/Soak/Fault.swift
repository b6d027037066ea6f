import HTTPClient

/// A fault of the origin while it answers a request.
///
/// ``outcomes`` lists the permitted outcomes of each fault.
enum Fault: Sendable, Hashable, CaseIterable {
    /// A correct response.
    case none

    // Before the response.
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

    // In the body of the response.
    case closeInBody
    case resetInBody
    case stallInBody
    case garbageInChunks
    case damagedGzip
    case oversizedBody

    // The response arrives in pieces, with pauses.
    case slowAnswer

    // After the response.
    case announcedClose
    case silentClose
    case silentReset
    /// A complete unsolicited response in the same segment.
    case secondAnswer
    /// Garbage while the connection is idle.
    case lateGarbage
    case lateClose
    case lateReset
    /// A half-close while the connection is idle; the origin still reads.
    case lateHalfClose
    /// A complete unsolicited response while the connection is idle.
    case lateAnswer

    // While a large request body arrives.
    case slowReading
    /// A 200 before the body is read; the body is read afterwards.
    case earlySuccess
    /// A 413 and a half-close; the body is read to its end.
    case earlyRejection
    /// A 413 and a close with unread bytes, which makes the kernel send RST.
    case rejectionWithReset

    /// Faults for any request.
    static let common: [Fault] = [
        .closeBefore, .resetBefore, .stall, .garbage, .delay, .closeInHead, .resetInHead,
        .stallInHead, .oversizedHead, .slowAnswer, .announcedClose, .silentClose, .silentReset,
        .secondAnswer, .lateGarbage, .lateClose, .lateReset, .lateHalfClose,
    ]
    /// Faults of an idle connection, for callers that do not share their connection.
    ///
    /// Such a caller waits for the fault between two calls. Only here can a late response be used: if a
    /// request were being sent, no client could tell the late response from the request's own.
    static let betweenCalls: [Fault] = [
        .lateGarbage, .lateAnswer, .lateClose, .lateHalfClose, .lateReset,
    ]
    /// Faults that need a response body.
    static let ofBodies: [Fault] = [
        .closeInBody, .resetInBody, .stallInBody, .garbageInChunks, .damagedGzip, .oversizedBody,
    ]
    /// Faults that need a large request body.
    static let ofUploads: [Fault] = [
        .slowReading, .earlySuccess, .earlyRejection, .rejectionWithReset,
    ]

    /// The permitted outcomes, unless the caller cancels or times out.
    var outcomes: Set<Outcome> {
        switch self {
        case .none, .delay, .slowAnswer, .announcedClose, .silentClose, .secondAnswer,
            .lateGarbage, .lateAnswer, .lateClose, .lateHalfClose, .slowReading, .earlySuccess,
            .earlyRejection:
            [.success]
        // A close with unread body bytes sends a reset.
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
        // The reset can discard bytes that the client has not read yet.
        case .silentReset, .lateReset, .rejectionWithReset: [.success, .lost]
        }
    }
}

/// The outcome of a request.
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
    /// The body was dropped before its end; the bytes read were correct.
    case dropped
    /// An outcome that no fault may cause.
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
