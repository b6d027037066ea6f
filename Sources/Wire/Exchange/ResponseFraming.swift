/// The framing of an outgoing response body, and the field that declares it (RFC 9112 §6.1 to
/// §6.3).
///
/// It is the counterpart of ``BodyFraming/ofResponse(to:status:version:headers:)``: a client that
/// applies those rules to the response obtains the same framing.
struct ResponseFraming: Sendable {
    let framing: BodyFraming
    private let framingField: FramingField

    /// The field to add to the head.
    private enum FramingField: Sendable {
        case none
        case length(Int)
        case chunked
    }

    /// Determines the framing of a response.
    ///
    /// - Parameters:
    ///   - head: the response head, which may contain a Content-Length that matches `content`.
    ///   - content: the content to send.
    ///   - method: the request method.
    ///   - version: the request version.
    /// - Throws: `.invalidFramingField` or `.bodyTooLong`.
    init(
        _ head: ResponseHead,
        _ content: ResponseContent,
        to method: HTTPMethod,
        version: HTTPVersion
    ) throws(WireError) {
        guard !head.headers.contains(.transferEncoding) else { throw .invalidFramingField }
        let given = try Self.contentLength(of: head)
        let protocolSwitch = ProtocolSwitch(status: head.status, to: method)
        if protocolSwitch != nil || head.status == .noContent || head.status == .resetContent {
            guard content == .empty || content == .length(0) else {
                throw .bodyTooLong(declared: 0)
            }
        }
        if protocolSwitch != nil || head.status == .noContent {
            guard given == nil else { throw .invalidFramingField }
            (framing, framingField) = (.noBody, .none)
            return
        }
        let isBodyOmitted = method == .head || head.status == .notModified
        switch content {
        case .length(let length):
            guard length >= 0, given == nil || given == length else {
                throw .invalidFramingField
            }
            framing = isBodyOmitted ? .noBody : .length(length)
            framingField = given == nil ? .length(length) : .none
        case .empty:
            // Without a body, the field may give the length that the body would have.
            guard isBodyOmitted || given == nil || given == 0 else { throw .invalidFramingField }
            framing = isBodyOmitted ? .noBody : .length(0)
            framingField = isBodyOmitted || given != nil ? .none : .length(0)
        case .streamed:
            guard given == nil else { throw .invalidFramingField }
            let isChunked = min(version, head.version) >= .http11
            framing = isBodyOmitted ? .noBody : isChunked ? .chunked : .untilClose
            framingField = framing == .chunked ? .chunked : .none
        }
    }

    /// Appends the field line, if there is one.
    func appendFramingField(to output: inout [UInt8]) {
        switch framingField {
        case .none:
            return
        case .length(let length):
            output.append(contentsOf: "Content-Length: ".utf8)
            Digits.appendDecimal(length, to: &output)
        case .chunked:
            output.append(contentsOf: "Transfer-Encoding: chunked".utf8)
        }
        ChunkedEncoder.appendSuffix(to: &output)
    }

    /// Returns the single Content-Length that a head to be sent may have.
    private static func contentLength(of head: ResponseHead) throws(WireError) -> Int? {
        guard let storage = head.headers.storage,
            let index = head.headers.firstIndex(of: .contentLength)
        else { return nil }
        let number = storage.withBytes(storage[index].value) { Digits.decimal($0) }
        guard case .value(let length) = number,
            head.headers.firstIndex(of: .contentLength, from: index + 1) == nil
        else { throw .invalidFramingField }
        return length
    }
}
