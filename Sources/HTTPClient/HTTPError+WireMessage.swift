internal import Wire

extension WireError {
    /// Says for people which rule was broken.
    var message: String {
        switch self {
        case .invalidURI(let fault, let offset): "\(fault.message) (at byte \(offset))"
        case .foreignProtocol(let other): "the peer does not speak HTTP/1.1 but \(other.message)"
        case .unsupportedVersion(let major, let minor): "HTTP/\(major).\(minor) is not spoken here"
        case .limitExceeded(let limit): limit.message
        default: clientMessage ?? headMessage ?? framingMessage ?? "\(self)"
        }
    }

    /// What is wrong with what was to be sent; nil when it is something else.
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

    /// What is wrong with a head; nil when it is something else.
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

    /// What is wrong with the framing, the body or its coding; nil when it is something else.
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
    /// Says for people what is wrong with the text.
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
    /// One message for people.
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
