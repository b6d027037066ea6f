/// The reason why the records of a streamed body cannot be read: its lines, JSON texts, events or parts.
@nonexhaustive public enum HTTPRecordError: Error, Sendable, Hashable {
    /// A line is longer than `limit` bytes.
    case lineTooLong(limit: Int)
    /// A text of a JSON text sequence is longer than `limit` bytes.
    case recordTooLong(limit: Int)
    /// An event, or one of its lines, is longer than `limit` bytes.
    case eventTooLong(limit: Int)
    /// Bytes of a JSON text sequence do not belong to a text, because no RS is before them (RFC 7464 §2.1).
    ///
    /// `offset` counts the bytes of the body, from 0.
    case missingRecordSeparator(offset: Int)
    /// A number, `true`, `false` or `null` in a JSON text sequence may be incomplete, because no whitespace
    /// follows it (RFC 7464 §2.4).
    ///
    /// `offset` counts the bytes of the body, from 0.
    case truncatedRecord(offset: Int)
    /// The response to a request for events is not an event stream; this is its Content-Type, if any.
    case notEventStream(contentType: String?)
    /// An event stream has ended after `limit` reconnects in a row.
    ///
    /// The error's `underlying` is the error of the last connection, or nil if the server has closed it.
    case tooManyReconnects(limit: Int)
    /// The last event ID that the server has set contains a control byte, so it cannot be sent back in
    /// Last-Event-ID.
    case unsendableEventID
    /// The parts of a response were requested, but it is not a multipart body; this is its Content-Type.
    case notMultipart(contentType: String?)
    /// The multipart body violates RFC 2046, or exceeds a limit.
    case malformedMultipart(MultipartError)
}

extension HTTPRecordError: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .lineTooLong(let limit): "a line of the body is longer than \(limit) bytes"
        case .recordTooLong(let limit): "a JSON text of the body is longer than \(limit) bytes"
        case .eventTooLong(let limit): "an event of the body is longer than \(limit) bytes"
        case .missingRecordSeparator(let offset):
            "no record separator is before the JSON text at byte \(offset) of the body"
        case .truncatedRecord(let offset):
            "the JSON text at byte \(offset) of the body may be incomplete"
        case .notEventStream(nil): "the response is not an event stream: it has no Content-Type"
        case .notEventStream(let type?):
            "the response is not an event stream: its Content-Type is \(type.debugDescription)"
        case .tooManyReconnects(let limit):
            "the event stream has ended after \(limit) reconnects in a row"
        case .notMultipart(nil): "the response is not multipart: it has no Content-Type"
        case .notMultipart(let type?):
            "the response is not multipart: its Content-Type is \(type.debugDescription)"
        case .malformedMultipart(let error): "the multipart body is malformed: \(error)"
        case .unsendableEventID: "the last event ID of the server contains a control byte"
        }
    }
}
