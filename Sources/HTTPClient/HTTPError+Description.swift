extension HTTPError: CustomStringConvertible {
    /// One line: what happened, how far the call had come when time ran out, which level would have
    /// read the response, and for which request.
    public var description: String {
        var text = kind.description
        if case .timedOut = kind { text += ": \(reached)" }
        if isReadableLeniently { text += "; with the strictness .lenient it is read" }
        return request.isEmpty ? text : "\(text) [\(request)]"
    }

    /// Says in words how far the call came.
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
    /// One line without the request.
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
