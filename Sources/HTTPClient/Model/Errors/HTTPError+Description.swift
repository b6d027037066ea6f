internal import Wire

extension HTTPError: CustomStringConvertible {
    /// A one-line description with the failure and the request.
    ///
    /// For a timeout it includes how far the call had come. If the setting `.lenient` would accept the
    /// response, it says so.
    public var description: String {
        var text = kind.description
        if case .timedOut = kind { text += ": \(reached)" }
        if isReadableLeniently { text += "; with the strictness .lenient it is read" }
        return request.isEmpty ? text : "\(text) [\(request)]"
    }

    /// How far the call came, in words.
    var reached: String {
        let addresses = failedAddresses.map { "\($0.address): \($0.reason)" }.joined(
            separator: "; "
        )
        switch phase {
        case .preparing, .queue:
            return "no connection was free, or the turn in the client's queue had not come"
        case .resolve: return "the name was not resolved"
        case .connect: return addresses.isEmpty ? "no address answered" : addresses
        case .tlsHandshake: return "connected, but TLS was not established"
        case .sending, .sendingBody: return "\(metrics.bytesSent) bytes were sent"
        case .responseHead:
            return "\(metrics.bytesSent) bytes were sent, \(metrics.bytesReceived) received"
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
        case .connectionClosed(let reason): "the connection was closed before: \(reason)"
        case .malformedResponse(let error): "the response is malformed: \(error.message)"
        case .truncatedResponse(let error): "the response was cut short: \(error.message)"
        case .codingFailed(let error): "the content cannot be decoded: \(error.message)"
        case .limitExceeded(let error): "the response passes a limit: \(error.message)"
        case .bodyTooLarge(let limit): "the body is larger than \(limit) bytes"
        case .rejectedStatus(let status): "the status is \(status.code)"
        case .redirectFailed(let problem): problem.description
        case .rejectedResponse(let reason): "a validator rejected the response: \(reason)"
        case .emptyBody(let status): "the response has no content, and the status is \(status.code)"
        case .interceptorFailed(let reason): "an interceptor failed: \(reason)"
        case .stubFailed(let problem): problem.description
        case .decodingFailed(let reason): "the body could not be decoded: \(reason)"
        case .undecodableText(let fault): fault.description
        case .rangeMismatch(let mismatch): mismatch.description
        case .resumeFailed(let problem): "the download cannot be continued: \(problem)"
        case .fileFailed(let path, let step, let reason): "\(step) \(path) failed: \(reason)"
        case .timedOut(let phase): "timed out (\(phase))"
        case .cancelled: "cancelled"
        case .systemFailure(let reason): "the system refused: \(reason)"
        }
    }
}

extension HTTPInvalidRequestReason: CustomStringConvertible {
    /// One line that says what to change.
    public var description: String {
        switch self {
        case .url(let text, let error):
            "\"\(URLParts.withoutCredentials(text))\" is not a URL: \(error.message)"
        case .relativeURL(let text):
            "\"\(URLParts.withoutCredentials(text))\" is relative: give an absolute URL, or the client a base URL"
        case .missingScheme(let text) where !text.hasPrefix("//"):
            "\"\(text)\" has a host but no scheme: write http://\(text)"
        case .missingScheme(let text) where URLParts(text).userinfo != nil:
            "\"\(URLParts.withoutCredentials(text))\" has a host but no scheme: write https: first"
        case .missingScheme(let text):
            "\"\(text)\" has a host but no scheme: write https:\(text), or one slash for a path"
        case .template(let text, let fault): "the template \"\(text)\": \(fault)"
        case .parameter(let name, let fault): "the parameter \"\(name)\" cannot be sent: \(fault)"
        case .colonInUserName: "the user name has a colon, which Basic authentication cannot carry"
        case .headModifier(let reason):
            "the head modifier of the request threw \(reason): let it throw nothing, or remove it"
        case .proxy(let fault): fault.description
        case .noProxy:
            "no proxy is set that could open a tunnel: give one, or set the client's proxy"
        case .unsupportedScheme(let scheme): "the scheme \"\(scheme)\" is neither http nor https"
        case .refused(let error): "the request may not be sent: \(error.message)"
        case .framingField(let name): "leave \(name) out: the client alone sets it here"
        case .body(let reason): "the body cannot be encoded: \(reason)"
        case .unencodableText(let character, let charset):
            "\(charset) cannot say \(character.debugDescription): choose another charset"
        case .bodyFile(let path, let fault): "\(path) cannot be sent: \(fault)"
        case .bodyLength(let length): "the length of the body is negative: \(length)"
        case .negativeNumber(let header): "a number given for \(header) is negative"
        case .bodyAlreadyConsumed:
            "the body is a sequence that was sent already: give a closure that makes it anew"
        case .multipart(let fault): fault.description
        case .blockingInsideTask:
            "a blocking call here would block a thread that others share: use the async one"
        case .connectionReleased: "the connection has been given back or closed: lease another"
        case .connectionMismatch:
            "the connection leads elsewhere, or was opened with other settings"
        case .unixSocket(let fault): "the unix domain socket has no such name: \(fault)"
        case .connectPort(let port):
            "the port \(port) of an address override or a redirection is not in 0...65535"
        case .overlappingWrite: "bytes are being written already: one writer at a time"
        case .overlappingRead: "the body is being read already: one reader at a time"
        case .resumeData(let fault): fault.description
        }
    }
}

extension WireError {
    /// The violated rule, in words.
    var message: String {
        switch self {
        case .invalidURI(let fault, let offset): "\(fault.message) (at byte \(offset))"
        case .foreignProtocol(let other): "the peer does not speak HTTP/1.1 but \(other.message)"
        case .unsupportedVersion(let major, let minor): "HTTP/\(major).\(minor) is not spoken here"
        case .limitExceeded(let limit): limit.message
        default: clientMessage ?? headMessage ?? framingMessage ?? "\(self)"
        }
    }

    /// The error in a message to send; nil for other errors.
    private var clientMessage: String? {
        switch self {
        case .invalidMethod: "the method is no token"
        case .invalidTarget(let offset):
            "the target holds what no target may hold (at byte \(offset))"
        case .invalidVersion: "the version is neither 1.0 nor 1.1"
        case .invalidStatus: "the status is not three digits"
        case .invalidReason: "the reason phrase holds a control character"
        case .invalidFieldName(let index): "the name of header \(index + 1) is no token"
        case .invalidFieldValue(let index):
            "the value of header \(index + 1) holds a line break or another control character"
        case .fieldTooLong(let index): "header \(index + 1) is too long"
        case .bodyTooLong(let declared): "the body has more than the \(declared) bytes announced"
        case .bodyTooShort(let declared, let sent):
            "the body has \(sent) of the \(declared) bytes announced"
        case .invalidTrailer(let index): "trailer \(index + 1) may not come behind the body"
        case .trailersWithoutChunks: "only a chunked body has trailers"
        case .invalidFramingField: "Content-Length or Transfer-Encoding contradicts the body"
        case .invalidUpgrade: "the protocol was not offered"
        case .sentOutOfOrder: "a part of the message was given where it may not stand"
        default: nil
        }
    }

    /// The error in a message head; nil for other errors.
    private var headMessage: String? {
        switch self {
        case .malformedVersion(let offset): "the version is malformed (at byte \(offset))"
        case .malformedStatus(let offset): "the status is not three digits (at byte \(offset))"
        case .malformedReason(let offset):
            "the reason phrase holds a control character (at byte \(offset))"
        case .malformedRequestLine(let offset):
            "the request line is malformed (at byte \(offset))"
        case .bareLineFeed(let offset): "a line ends in LF without CR (at byte \(offset))"
        case .bareCarriageReturn(let offset): "a CR has no LF behind it (at byte \(offset))"
        case .leadingWhitespace(let offset):
            "whitespace stands before the first header (at byte \(offset))"
        case .foldedLine(let offset): "a header goes on in a second line (at byte \(offset))"
        case .emptyFieldName(let offset): "a header has no name (at byte \(offset))"
        case .spaceBeforeColon(let offset):
            "whitespace stands before the colon of a header (at byte \(offset))"
        case .missingColon(let offset): "a header has no colon (at byte \(offset))"
        case .malformedFieldName(let offset):
            "the name of a header is no token (at byte \(offset))"
        case .malformedFieldValue(let offset):
            "the value of a header holds a control character (at byte \(offset))"
        case .forbiddenTrailer(let offset):
            "a trailer may not come behind the body (at byte \(offset))"
        case .missingHost: "Host is missing"
        case .repeatedHost: "Host is given twice"
        case .malformedHost: "Host is malformed"
        case .unofferedUpgrade: "the peer switches to a protocol that was not offered"
        default: nil
        }
    }

    /// The error in the framing, the body or its content coding; nil for other errors.
    private var framingMessage: String? {
        switch self {
        case .malformedContentLength: "Content-Length is no number"
        case .conflictingContentLengths: "Content-Length is given twice, with different values"
        case .contentLengthOverflow: "Content-Length is larger than any body"
        case .malformedTransferEncoding: "Transfer-Encoding is malformed"
        case .unknownTransferCoding: "Transfer-Encoding names a coding that was not offered"
        case .chunkedNotLast: "the last transfer coding is not chunked, so the end is unknown"
        case .chunkedTwice: "the chunked coding is applied twice"
        case .transferEncodingInHTTP10: "a message of HTTP/1.0 has Transfer-Encoding"
        case .lengthBesideTransferEncoding: "Content-Length stands beside Transfer-Encoding"
        case .malformedChunkSize(let offset): "a chunk has no size (at byte \(offset))"
        case .chunkSizeOverflow(let offset):
            "the size of a chunk is larger than any body (at byte \(offset))"
        case .malformedChunkExtension(let offset):
            "a chunk extension is malformed (at byte \(offset))"
        case .malformedChunkEnd(let offset): "a chunk does not end in CRLF (at byte \(offset))"
        case .closedBeforeResponse: "the peer closed before it sent anything"
        case .headTruncated: "the peer closed within the head"
        case .bodyTruncated(let received, let expected?):
            "\(received) of \(expected) bytes of the body came"
        case .bodyTruncated(let received, nil):
            "the peer closed after \(received) bytes of the body, before its end"
        case .corruptCoding(let coding): "the body is not what \(coding) makes"
        case .truncatedCoding(let coding): "the body ended within what \(coding) makes"
        case .bytesAfterCoding(let coding): "bytes follow what \(coding) made"
        case .unknownContentCoding: "Content-Encoding names a coding that cannot be decoded"
        case .codingOutOfMemory: "there is no memory to decode the body"
        default: nil
        }
    }
}

extension InvalidURIReason {
    /// The error in the text, in words.
    var message: String {
        switch self {
        case .tooLong: "it is longer than 1 MiB"
        case .forbiddenByte: "it holds a character that may not stand there"
        case .nonASCII: "it holds a character outside ASCII, which must be percent-encoded"
        case .invalidPercentTriplet: "a % is not followed by two hexadecimal digits"
        case .missingHost: "the host is missing"
        case .invalidIPv6Literal: "what stands in brackets is no IPv6 address"
        case .invalidPort: "the port is no number from 0 to 65535"
        case .invalidScheme: "what stands before the first colon is no scheme"
        case .internationalHost(let fault): fault.message
        }
    }
}

extension InternationalHostError {
    /// The error in the host, in words.
    fileprivate var message: String {
        switch self {
        case .traitDisabled:
            "the host is not ASCII: give it in its xn-- form, or turn on the trait IDN of this package"
        case .invalidUTF8: "the host is not UTF-8"
        case .forbiddenCharacter: "the host has a character that no host may have"
        case .misplacedCharacter:
            "the host has a hyphen, combining mark or joiner where none may stand"
        case .mixedDirections: "the host mixes directions of writing"
        case .invalidALabel: "a label of the host begins with xn-- and is no encoded name"
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
        case .tls: "TLS: the port may want https"
        case .http2: "HTTP/2"
        case .http09: "HTTP/0.9"
        case .unknown: "something else"
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
