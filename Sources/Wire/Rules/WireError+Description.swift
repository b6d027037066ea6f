extension WireError: CustomStringConvertible {
    /// The violated rule, in words, without a period at the end.
    public var description: String {
        switch self {
        case .invalidURI(let fault, let offset): "\(fault) (at byte \(offset))"
        case .foreignProtocol(let other): "the peer does not speak HTTP/1.1 but \(other)"
        case .unsupportedVersion(let major, let minor): "HTTP/\(major).\(minor) is not supported"
        case .limitExceeded(let limit): limit.description

        // Outgoing messages
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

        // Malformed heads and trailers
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

        // Framing, body, truncation and content codings
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
        }
    }
}

extension InvalidURIReason: CustomStringConvertible {
    /// The error in the text, in words.
    public var description: String {
        switch self {
        case .tooLong: "it is longer than 1 MiB"
        case .forbiddenByte: "it contains a character that is not allowed there"
        case .nonASCII: "it contains a character outside ASCII, which must be percent-encoded"
        case .invalidPercentTriplet: "a % is not followed by two hexadecimal digits"
        case .missingHost: "the host is missing"
        case .invalidIPv6Literal: "the text in brackets is not an IPv6 address"
        case .invalidPort: "the port is not a number from 0 to 65535"
        case .invalidScheme: "the text before the first colon is not a scheme"
        case .internationalHost(let fault): fault.description
        }
    }
}

extension InternationalHostError: CustomStringConvertible {
    /// The error in the host, in words.
    public var description: String {
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

extension ForeignProtocol: CustomStringConvertible {
    /// The name of the protocol.
    public var description: String {
        switch self {
        case .tls: "TLS: the port may require https"
        case .http2: "HTTP/2"
        case .http09: "HTTP/0.9"
        case .unknown: "another protocol"
        }
    }
}

extension ExceededLimit: CustomStringConvertible {
    /// The exceeded limit, in words.
    public var description: String {
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
