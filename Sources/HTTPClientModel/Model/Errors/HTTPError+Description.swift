internal import SocketTransport
internal import Wire

extension HTTPError: CustomStringConvertible {
    /// A one-line description with the failure and the request, without secrets.
    ///
    /// Of the URL it shows what ``HTTPRequest/urlDescription(redacting:)`` shows. ``request`` has all of it, except
    /// the credentials.
    ///
    /// For a timeout it includes the setting, its value and the progress of the call; for a rejected status, the
    /// first 80 bytes of the body; for a refused header field, its name. If a setting avoids the error, the text
    /// names it. It also mentions whether the setting `.lenient` would accept the response.
    public var description: String {
        var text = kind.description
        if let name = refusedField { text += ": \(name.rawName.debugDescription)" }
        if let detail = info.detail { text += ": \(detail)" }
        if case .timedOut = kind { text += (info.detail == nil ? ": " : "; ") + reached }
        if case .rejectedStatus = kind, !partialBody.isEmpty {
            text += ", with the body \"\(BodyExcerpt.text(of: partialBody))\""
        }
        if let advice { text += ": \(advice)" }
        if isReadableLeniently { text += "; the strictness .lenient accepts it" }
        text = LogText.line(text)
        return request.isEmpty ? text : "\(text) [\(shownRequest)]"
    }

    /// Method and URL of the request as programs log them.
    private var shownRequest: String {
        let words = request.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        return words.count < 2
            ? LogText.url(request)
            : "\(LogText.line(String(words[0]))) \(LogText.url(String(words[1])))"
    }

    /// The progress of the call until it timed out.
    package var reached: String {
        let addresses = failedAddresses.map { "\($0.address): \($0.reason)" }.joined(
            separator: "; "
        )
        return phase.reached(metrics, addresses)
    }
}

extension HTTPError.Kind: CustomStringConvertible {
    /// A one-line description without the request.
    public var description: String { LogText.line(text) }

    private var text: String {
        switch self {
        case .invalidRequest(let reason): reason.description
        case .resolveFailed(let host, let reason): "could not resolve \(host): \(reason)"
        case .connectFailed(let failures) where failures.isEmpty: "no address to connect to"
        case .connectFailed(let failures):
            "could not connect: "
                + failures.map { "\($0.address): \($0.reason)" }.joined(separator: "; ")
        case .addressesRefused(let host, let refused):
            "the address policy refuses \(host): "
                + refused.map(\.description).joined(separator: "; ")
        case .bindFailed(let local, let reason): "could not connect from \(local): \(reason)"
        case .proxyFailed(let reason): reason.description
        case .tlsFailed(let reason): reason.description
        case .authenticationFailed(let reason): reason.description
        case .bodyFailed(let reason): reason.description
        case .connectionLost(let reason): "the connection was lost: \(reason)"
        case .connectionClosed(let reason): "the connection was already closed: \(reason)"
        case .malformedResponse(let error): "the response is malformed: \(error)"
        case .truncatedResponse(let error): "the response was cut short: \(error)"
        case .codingFailed(let error): "the content cannot be decoded: \(error)"
        case .digestMismatch(let expected, let received):
            "the digest of the body is \(received), but \(expected) was expected"
        case .digestMissing(let names) where names.isEmpty:
            "the response has no digest of its content, but one is required"
        case .digestMissing(let names):
            "the response has only digests that are not supported: \(names.joined(separator: ", "))"
        case .malformedDigest(let field, let value):
            "the field \(field) is malformed: \(value.debugDescription)"
        case .limitExceeded(let error): "the response exceeds a limit: \(error)"
        case .bodyTooLarge(let limit): "the body is larger than \(limit) bytes"
        case .fileTooLarge(let limit): "the file would be larger than \(limit) bytes"
        case .rejectedStatus(let status): "the status is \(status)"
        case .redirectFailed(let reason): reason.description
        case .rejectedResponse(let reason): "a validator rejected the response: \(reason)"
        case .emptyBody(let status): "the response has no content, and the status is \(status.code)"
        case .interceptorFailed(let reason): "an interceptor failed: \(reason)"
        case .dialerFailed(let reason): "the dialer failed: \(reason)"
        case .decodingFailed(let reason): "the body could not be decoded: \(reason)"
        case .undecodableText(let reason): reason.description
        case .recordFailed(let reason): reason.description
        case .rangeMismatch(let mismatch): mismatch.description
        case .resumeFailed(let reason): "the download cannot be resumed: \(reason)"
        case .fileFailed(let path, let step, let reason): "\(step) \(path) failed: \(reason)"
        case .descriptorFailed(let errno, let written):
            "writing to the descriptor failed after \(written) bytes: \(Errno(rawValue: errno))"
        case .timedOut(let phase): "timed out (\(phase))"
        case .cancelled: "cancelled"
        case .systemFailure(let reason): "system failure: \(reason)"
        }
    }
}

extension HTTPError.InvalidRequestReason: CustomStringConvertible {
    /// A one-line description, with the change that is needed if the caller can make one.
    public var description: String { LogText.line(text) }

    private var text: String {
        switch self {
        case .url(let text, let error):
            "\"\(LogText.url(text))\" is not a URL: \(error)"
        case .relativeURL(let text):
            "\"\(LogText.url(text))\" is relative: use an absolute URL, or set the client's base URL"
        case .missingScheme(let text) where !text.hasPrefix("//"):
            "\"\(LogText.url(text))\" has a host but no scheme: write http://\(LogText.url(text))"
        case .missingScheme(let text) where URLParts(text).userinfo != nil:
            "\"\(LogText.url(text))\" has a host but no scheme: prefix it with https:"
        case .missingScheme(let text):
            "\"\(LogText.url(text))\" has a host but no scheme: write https:\(LogText.url(text)), or a path with one leading slash"
        case .redactedURL(let text):
            "\"\(LogText.url(text))\" has *** in place of a secret: use the text of the URI, not its description"
        case .template(let text, let reason):
            "the template \"\(LogText.url(text))\" cannot be expanded: \(reason)"
        case .parameter(let name, let reason): "the parameter \"\(name)\" cannot be sent: \(reason)"
        case .colonInUserName:
            "the user name contains a colon, which Basic authentication does not allow"
        case .headModifier(let reason):
            "the head modifier of the request threw \(reason): handle the error in it, or remove it"
        case .proxy(let reason): reason.description
        case .noProxy:
            "no proxy is configured for the tunnel: pass one, or set the client's proxy"
        case .unsupportedScheme(let scheme): "the scheme \"\(scheme)\" is neither http nor https"
        case .refused(let error): "the request is invalid: \(error)"
        case .framingField(let name): "remove the field \(name): only the client may set it here"
        case .body(let reason): "the body cannot be encoded: \(reason)"
        case .bodyOffset(let offset, let reason):
            "the body cannot be sent from byte \(offset) on: \(reason)"
        case .unencodableText(let character, let charset):
            "\(charset) cannot encode \(character.debugDescription): choose another charset"
        case .bodyFile(let path, let reason): "\(path) cannot be sent: \(reason)"
        case .bodyLength(let length): "the length of the body is negative: \(length)"
        case .trailerField(let name):
            "\(name.debugDescription) cannot be a trailer: send it as a header field, or remove it"
        case .negativeNumber(let header): "the number for \(header) is negative"
        case .rateLimit(let rate):
            "the rate limit of \(rate) bytes per second is less than 1: use nil for no limit"
        case .bodyAlreadyConsumed:
            "the body is a sequence that was already sent: use a closure that creates a new one"
        case .multipart(let reason): reason.description
        case .skippedPart:
            "a later part was requested: read the content of a part before that"
        case .blockingInsideTask:
            "a blocking call inside a task would block a shared thread: use the async method"
        case .connectionReleased:
            "the connection was already released or closed: acquire another one"
        case .connectionMismatch:
            "the connection belongs to another origin, or was opened with other settings"
        case .unixSocket(let reason): "the name of the Unix domain socket is invalid: \(reason)"
        case .connectPort(let port):
            "the port \(port) of an address override or a connect-to rule is not in 0...65535"
        case .overlappingWrite: "another write is in progress: write from one task at a time"
        case .overlappingRead:
            "another read of the body is in progress: read from one task at a time"
        case .segments(let segments) where segments.minSize < 1:
            "the minimum size of a segment is \(segments.minSize) bytes: it must be at least 1"
        case .segments(let segments):
            "a download with \(segments.limit) segments is not possible: use 1 to \(HTTPDownloadOptions.Segments.maxLimit)"
        case .resumeData(let reason): reason.description
        case .digest(let reason): reason.description
        case .netrc(let reason): reason.description
        case .json(let reason): "the text is not JSON: \(reason)"
        case .cookieFile(let reason): "the text is not a cookie file: \(reason)"
        }
    }
}
