package import Wire

extension HTTPError: CustomStringConvertible {
    /// A one-line description with the failure and the request.
    ///
    /// For a timeout it includes the progress of the call. It also mentions whether the setting
    /// `.lenient` would accept the response.
    public var description: String {
        var text = kind.description
        if case .timedOut = kind { text += ": \(reached)" }
        if isReadableLeniently { text += "; the strictness .lenient accepts it" }
        return request.isEmpty ? text : "\(text) [\(request)]"
    }

    /// The progress of the call until it timed out.
    var reached: String {
        let addresses = failedAddresses.map { "\($0.address): \($0.reason)" }.joined(
            separator: "; "
        )
        switch phase {
        case .preparing, .queue:
            return "no connection was free, or the request was still in the client's queue"
        case .resolve: return "the name was not resolved"
        case .connect: return addresses.isEmpty ? "no address answered" : addresses
        case .proxyHandshake: return "connected to the proxy, but not through it to the origin"
        case .tlsHandshake: return "connected, but TLS was not established"
        case .sending, .sendingBody: return "\(metrics.bytesSent) bytes were sent"
        case .responseHead:
            return "\(metrics.bytesSent) bytes were sent, \(metrics.bytesReceived) received"
        case .upgraded: return "the peer sent or accepted no bytes in time"
        default: return "\(metrics.bodyBytesReceived) bytes of the body were received"
        }
    }
}

extension HTTPError.Kind: CustomStringConvertible {
    /// A one-line description without the request.
    public var description: String {
        switch self {
        case .invalidRequest(let fault): fault.description
        case .resolveFailed(let host, let reason): "could not resolve \(host): \(reason)"
        case .connectFailed(let failures) where failures.isEmpty: "no address to connect to"
        case .connectFailed(let failures):
            "could not connect: "
                + failures.map { "\($0.address): \($0.reason)" }.joined(separator: "; ")
        case .addressesRefused(let host, let refused):
            "the address policy refuses \(host): "
                + refused.map(\.description).joined(separator: "; ")
        case .bindFailed(let local, let reason): "could not connect from \(local): \(reason)"
        case .proxyFailed(let problem): problem.description
        case .tlsFailed(let problem): problem.description
        case .authenticationFailed(let problem): problem.description
        case .bodyFailed(let problem): problem.description
        case .connectionLost(let reason): "the connection was lost: \(reason)"
        case .connectionClosed(let reason): "the connection was already closed: \(reason)"
        case .malformedResponse(let error): "the response is malformed: \(error.message)"
        case .truncatedResponse(let error): "the response was cut short: \(error.message)"
        case .codingFailed(let error): "the content cannot be decoded: \(error.message)"
        case .limitExceeded(let error): "the response exceeds a limit: \(error.message)"
        case .bodyTooLarge(let limit): "the body is larger than \(limit) bytes"
        case .rejectedStatus(let status): "the status is \(status.code)"
        case .redirectFailed(let problem): problem.description
        case .rejectedResponse(let reason): "a validator rejected the response: \(reason)"
        case .emptyBody(let status): "the response has no content, and the status is \(status.code)"
        case .interceptorFailed(let reason): "an interceptor failed: \(reason)"
        case .dialerFailed(let reason): reason
        case .decodingFailed(let reason): "the body could not be decoded: \(reason)"
        case .undecodableText(let fault): fault.description
        case .rangeMismatch(let mismatch): mismatch.description
        case .resumeFailed(let problem): "the download cannot be resumed: \(problem)"
        case .fileFailed(let path, let step, let reason): "\(step) \(path) failed: \(reason)"
        case .timedOut(let phase): "timed out (\(phase))"
        case .cancelled: "cancelled"
        case .systemFailure(let reason): "system failure: \(reason)"
        }
    }
}

extension HTTPInvalidRequestReason: CustomStringConvertible {
    /// A one-line description, with the change that is needed if the caller can make one.
    public var description: String {
        switch self {
        case .url(let text, let error):
            "\"\(URLParts.withoutCredentials(text))\" is not a URL: \(error.message)"
        case .relativeURL(let text):
            "\"\(URLParts.withoutCredentials(text))\" is relative: use an absolute URL, or set the client's base URL"
        case .missingScheme(let text) where !text.hasPrefix("//"):
            "\"\(text)\" has a host but no scheme: write http://\(text)"
        case .missingScheme(let text) where URLParts(text).userinfo != nil:
            "\"\(URLParts.withoutCredentials(text))\" has a host but no scheme: prefix it with https:"
        case .missingScheme(let text):
            "\"\(text)\" has a host but no scheme: write https:\(text), or a path with one leading slash"
        case .template(let text, let fault): "the template \"\(text)\" cannot be expanded: \(fault)"
        case .parameter(let name, let fault): "the parameter \"\(name)\" cannot be sent: \(fault)"
        case .colonInUserName:
            "the user name contains a colon, which Basic authentication does not allow"
        case .headModifier(let reason):
            "the head modifier of the request threw \(reason): handle the error in it, or remove it"
        case .proxy(let fault): fault.description
        case .noProxy:
            "no proxy is configured for the tunnel: pass one, or set the client's proxy"
        case .unsupportedScheme(let scheme): "the scheme \"\(scheme)\" is neither http nor https"
        case .refused(let error): "the request is invalid: \(error.message)"
        case .framingField(let name): "remove the field \(name): only the client may set it here"
        case .body(let reason): "the body cannot be encoded: \(reason)"
        case .unencodableText(let character, let charset):
            "\(charset) cannot encode \(character.debugDescription): choose another charset"
        case .bodyFile(let path, let fault): "\(path) cannot be sent: \(fault)"
        case .bodyLength(let length): "the length of the body is negative: \(length)"
        case .negativeNumber(let header): "the number for \(header) is negative"
        case .bodyAlreadyConsumed:
            "the body is a sequence that was already sent: use a closure that creates a new one"
        case .multipart(let fault): fault.description
        case .blockingInsideTask:
            "a blocking call inside a task would block a shared thread: use the async method"
        case .connectionReleased:
            "the connection was already released or closed: acquire another one"
        case .connectionMismatch:
            "the connection belongs to another origin, or was opened with other settings"
        case .unixSocket(let fault): "the name of the Unix domain socket is invalid: \(fault)"
        case .connectPort(let port):
            "the port \(port) of an address override or a connect-to rule is not in 0...65535"
        case .overlappingWrite: "another write is in progress: write from one task at a time"
        case .overlappingRead:
            "another read of the body is in progress: read from one task at a time"
        case .resumeData(let fault): fault.description
        }
    }
}

extension WireError {
    /// A description of the violated rule.
    package var message: String {
        switch self {
        case .invalidURI(let fault, let offset): "\(fault.message) (at byte \(offset))"
        case .foreignProtocol(let other): "the peer does not speak HTTP/1.1 but \(other.message)"
        case .unsupportedVersion(let major, let minor): "HTTP/\(major).\(minor) is not supported"
        case .limitExceeded(let limit): limit.message
        default: clientMessage ?? headMessage ?? framingMessage ?? "\(self)"
        }
    }

    /// The error in a message to send; nil for other errors.
    private var clientMessage: String? {
        switch self {
        case .invalidMethod: "the method is not a token"
        case .invalidTarget(let offset):
            "the target contains a character that is not allowed (at byte \(offset))"
        case .invalidVersion: "the version is neither 1.0 nor 1.1"
        case .invalidStatus: "the status is not three digits"
        case .invalidReason: "the reason phrase contains a control character"
        case .invalidFieldName(let index): "the name of header \(index + 1) is not a token"
        case .invalidFieldValue(let index):
            "the value of header \(index + 1) contains a line break or another control character"
        case .fieldTooLong(let index): "header \(index + 1) is too long"
        case .bodyTooLong(let declared): "the body is longer than the announced \(declared) bytes"
        case .bodyTooShort(let declared, let sent):
            "the body ended after \(sent) of the announced \(declared) bytes"
        case .invalidTrailer(let index):
            "the field of trailer \(index + 1) is not allowed after the body"
        case .trailersWithoutChunks: "only a chunked body has trailers"
        case .invalidFramingField: "Content-Length or Transfer-Encoding contradicts the body"
        case .invalidUpgrade: "the protocol was not offered"
        case .sentOutOfOrder: "the parts of the message were sent in the wrong order"
        default: nil
        }
    }

    /// The error in a message head; nil for other errors.
    private var headMessage: String? {
        switch self {
        case .malformedVersion(let offset): "the version is malformed (at byte \(offset))"
        case .malformedStatus(let offset): "the status is not three digits (at byte \(offset))"
        case .malformedReason(let offset):
            "the reason phrase contains a control character (at byte \(offset))"
        case .malformedRequestLine(let offset):
            "the request line is malformed (at byte \(offset))"
        case .bareLineFeed(let offset): "a line ends in LF without CR (at byte \(offset))"
        case .bareCarriageReturn(let offset): "a CR is not followed by LF (at byte \(offset))"
        case .leadingWhitespace(let offset):
            "whitespace precedes the first header (at byte \(offset))"
        case .foldedLine(let offset): "a header continues on a second line (at byte \(offset))"
        case .emptyFieldName(let offset): "a header has no name (at byte \(offset))"
        case .spaceBeforeColon(let offset):
            "whitespace precedes the colon of a header (at byte \(offset))"
        case .missingColon(let offset): "a header has no colon (at byte \(offset))"
        case .malformedFieldName(let offset):
            "the name of a header is not a token (at byte \(offset))"
        case .malformedFieldValue(let offset):
            "the value of a header contains a control character (at byte \(offset))"
        case .forbiddenTrailer(let offset):
            "a field is not allowed as a trailer (at byte \(offset))"
        case .missingHost: "Host is missing"
        case .repeatedHost: "Host occurs more than once"
        case .malformedHost: "Host is malformed"
        case .unofferedUpgrade: "the peer switched to a protocol that was not offered"
        default: nil
        }
    }

    /// The error in the framing, the body or its content coding; nil for other errors.
    private var framingMessage: String? {
        switch self {
        case .malformedContentLength: "Content-Length is not a number"
        case .conflictingContentLengths:
            "Content-Length occurs more than once, with different values"
        case .contentLengthOverflow: "Content-Length is above 2^63 - 1"
        case .malformedTransferEncoding: "Transfer-Encoding is malformed"
        case .unknownTransferCoding: "Transfer-Encoding names a coding that was not offered"
        case .chunkedNotLast: "the last transfer coding is not chunked, so the end is unknown"
        case .chunkedTwice: "the chunked coding is applied twice"
        case .transferEncodingInHTTP10: "an HTTP/1.0 message has Transfer-Encoding"
        case .lengthBesideTransferEncoding: "Content-Length and Transfer-Encoding are both present"
        case .malformedChunkSize(let offset): "a chunk has no valid size (at byte \(offset))"
        case .chunkSizeOverflow(let offset):
            "the size of a chunk is above 2^63 - 1 (at byte \(offset))"
        case .malformedChunkExtension(let offset):
            "a chunk extension is malformed (at byte \(offset))"
        case .malformedChunkEnd(let offset): "a chunk does not end in CRLF (at byte \(offset))"
        case .closedBeforeResponse: "the peer closed the connection before it sent anything"
        case .headTruncated: "the peer closed the connection in the middle of the head"
        case .bodyTruncated(let received, let expected?):
            "the body ended after \(received) of \(expected) bytes"
        case .bodyTruncated(let received, nil):
            "the peer closed the connection after \(received) bytes of the body, before its end"
        case .corruptCoding(let coding): "the body is not valid \(coding) data"
        case .truncatedCoding(let coding): "the body ended in the middle of its \(coding) data"
        case .bytesAfterCoding(let coding): "bytes follow the \(coding) data of the body"
        case .unknownContentCoding: "Content-Encoding names a coding that cannot be decoded"
        case .codingOutOfMemory: "there is not enough memory to decode the body"
        default: nil
        }
    }
}

extension InvalidURIReason {
    /// A description of the error in the text.
    var message: String {
        switch self {
        case .tooLong: "it is longer than 1 MiB"
        case .forbiddenByte: "it contains a character that is not allowed there"
        case .nonASCII: "it contains a character outside ASCII, which must be percent-encoded"
        case .invalidPercentTriplet: "a % is not followed by two hexadecimal digits"
        case .missingHost: "the host is missing"
        case .invalidIPv6Literal: "the text in brackets is not an IPv6 address"
        case .invalidPort: "the port is not a number from 0 to 65535"
        case .invalidScheme: "the text before the first colon is not a scheme"
        case .internationalHost(let fault): fault.message
        }
    }
}

extension InternationalHostError {
    /// A description of the error in the host.
    fileprivate var message: String {
        switch self {
        case .traitDisabled:
            "the host is not ASCII: use its xn-- form, or enable the trait IDN of this package"
        case .invalidUTF8: "the host is not UTF-8"
        case .forbiddenCharacter: "the host has a character that is not allowed in a host name"
        case .misplacedCharacter:
            "the host has a hyphen, combining mark or joiner at a place where it is not allowed"
        case .mixedDirections: "the host mixes left-to-right and right-to-left text"
        case .invalidALabel: "a label of the host begins with xn-- but is not an encoded name"
        case .emptyLabel: "the host has an empty label"
        case .labelTooLong: "a label of the host is longer than 63 bytes"
        case .nameTooLong: "the host is longer than 253 bytes"
        case .libraryFailure(let status): "libidn2 failed with status \(status)"
        }
    }
}

extension ForeignProtocol {
    fileprivate var message: String {
        switch self {
        case .tls: "TLS: the port may require https"
        case .http2: "HTTP/2"
        case .http09: "HTTP/0.9"
        case .unknown: "another protocol"
        }
    }
}

extension ExceededLimit {
    fileprivate var message: String {
        switch self {
        case .headBytes(let limit): "the head has more than \(limit) bytes"
        case .requestLineBytes(let limit): "the request line has more than \(limit) bytes"
        case .fieldCount(let limit): "there are more than \(limit) headers"
        case .informationalCount(let limit): "there are more than \(limit) interim responses"
        case .chunkLineBytes(let limit): "the line of a chunk has more than \(limit) bytes"
        case .chunkExtensionBytes(let limit): "chunk extensions have more than \(limit) bytes"
        case .trailerBytes(let limit): "the trailers have more than \(limit) bytes"
        case .trailerCount(let limit): "there are more than \(limit) trailers"
        case .requestBodyBytes(let limit): "the body has more than \(limit) bytes"
        case .decodedBytes(let limit): "the decoded body has more than \(limit) bytes"
        case .codingOverheadBytes(let limit):
            "more than \(limit) bytes of the coded body decode to nothing"
        case .codingCount(let limit): "the body has more than \(limit) content codings"
        case .expansionRatio(let limit): "the body grows more than \(limit)-fold when decoded"
        }
    }
}
