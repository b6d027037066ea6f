internal import Wire

// Programs print and log these values. Swift's default descriptions would show tokens, cookies, and bodies as decimal
// bytes. dump(_:) reads mirrors and not descriptions, so each type has both. `LoggedTextTests` prints and dumps all.

/// Returns an amount of content, such as `464 bytes of application/json`.
private func amount(_ count: Int?, _ type: String?) -> String {
    let size = count.map { $0 == 1 ? "1 byte" : "\($0) bytes" } ?? "content of unknown length"
    return type.map { "\(size) of \(LogText.line($0))" } ?? size
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Method, URL and content, such as `HTTPRequest POST https://a.test/?token=***, 2 bytes of text/plain`.
    ///
    /// Secrets of the URL are replaced as in ``urlDescription(redacting:)``. Header fields are not shown: print
    /// ``headers``, or ``curlDescription``.
    public var description: String {
        let line = "HTTPRequest \(LogText.line(method.rawValue)) \(LogText.url(url))"
        return body.isKnownEmpty ? line : "\(line), \(body)"
    }

    /// The parts of the request, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "url": LogText.url(url), "headers": headers, "body": body,
            ]
        )
    }
}

extension HTTPBody: CustomStringConvertible, CustomReflectable {
    /// Length and type, such as `464 bytes of application/json`; never the content.
    ///
    /// The length of a value that is encoded when it is sent is not known.
    public var description: String {
        switch content {
        case .none: "no content"
        case .bytes(let bytes): amount(bytes.count, contentType?.rawValue)
        case .source, .deferred: amount(nil, contentType?.rawValue)
        case .invalid(let reason): "invalid content: \(reason)"
        }
    }

    /// Only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

extension MultipartForm.Part: CustomStringConvertible, CustomReflectable {
    /// Name, length and type, such as `"picture", 464 bytes of image/jpeg`; never the content.
    ///
    /// The length of a file or a stream is not known before it is sent.
    public var description: String {
        let count: Int? = if case .bytes(let bytes) = content { bytes.count } else { nil }
        let field = name.map { "\"\(LogText.line($0))\", " } ?? ""
        return field + amount(count, contentType?.rawValue)
    }

    /// The parts, whose texts have `***` in place of secrets, and no content.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["text": description, "fileName": fileName as Any, "headers": headers]
        )
    }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// Status and content, such as `HTTPResponse 200 OK, 464 bytes of application/json`.
    public var description: String {
        let content = isStreamed ? "a streamed body" : amount(body.count, headers[.contentType])
        return "HTTPResponse \(status), \(content)"
    }

    /// The parts of the response, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": status, "url": url, "headers": headers, "bytes": body.count,
                "metrics": metrics,
            ]
        )
    }
}

extension HTTPDownloadedFile: CustomStringConvertible, CustomReflectable {
    /// Size and path, such as `HTTPDownloadedFile 464 bytes in /srv/a.json`.
    public var description: String {
        "HTTPDownloadedFile \(amount(size, nil)) in \(LogText.line(path))"
    }

    /// The parts of the result, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "path": path, "size": size, "resumedOffset": resumedOffset, "head": head,
                "url": url, "metrics": metrics,
            ]
        )
    }
}

extension HTTPMetrics: CustomStringConvertible, CustomReflectable {
    /// Attempts, bytes and time, such as `HTTPMetrics 1 attempt, 112 bytes sent, 464 received, 0.0123 seconds`.
    public var description: String {
        let count = attempts.count
        let time = total.map { ", \($0)" } ?? ""
        return "HTTPMetrics \(count) attempt\(count == 1 ? "" : "s"), \(bytesSent) bytes sent, "
            + "\(bytesReceived) received\(time)"
    }

    /// The figures of the whole call.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "attempts": attempts.count, "bytesSent": bytesSent, "bytesReceived": bytesReceived,
                "total": total as Any,
            ]
        )
    }
}

extension HTTPEndpoint: CustomStringConvertible, CustomReflectable {
    /// The request and the type of the value, such as `HTTPEndpoint<User> GET https://a.test/1`.
    public var description: String {
        "HTTPEndpoint<\(Value.self)> \(LogText.line(request.method.rawValue)) \(LogText.url(request.url))"
    }

    /// The request.
    public var customMirror: Mirror { Mirror(self, children: ["request": request]) }
}

extension HTTPRedirect: CustomStringConvertible, CustomReflectable {
    /// Status and target, such as `HTTPRedirect 302 Found to https://a.test/`.
    public var description: String { "HTTPRedirect \(status) to \(location)" }

    /// The parts of the redirect, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["method": method, "url": url, "head": head, "location": location]
        )
    }
}

extension HTTPError: CustomReflectable {
    /// Kind, phase and request in words, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "text": description, "head": head as Any, "partialBody": partialBody.count,
                "metrics": metrics,
            ]
        )
    }
}

extension HTTPError.Kind: CustomReflectable {
    /// Only ``description``, so that dump(_:) shows no secret of a URL either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

extension HTTPError.InvalidRequestReason: CustomReflectable {
    /// Only ``description``, so that dump(_:) shows no secret of a URL either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

extension HTTPError.RedirectReason: CustomReflectable {
    /// Only ``description``, so that dump(_:) shows no secret of a URL either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

extension HTTPDialRequest: CustomStringConvertible, CustomReflectable {
    /// Method, URL and content, such as `HTTPDialRequest POST https://a.test/, 2 bytes of text/plain`.
    public var description: String {
        let content = isBodyStreamed ? "a streamed body" : amount(body.count, headers[.contentType])
        return "HTTPDialRequest \(LogText.line(method.rawValue)) \(url), \(content)"
    }

    /// The parts of the request, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "purpose": purpose, "method": method, "url": url, "headers": headers,
                "body": body.count,
            ]
        )
    }
}

extension HTTPError.ProxyRejection: CustomStringConvertible, CustomReflectable {
    /// Status and content, such as `HTTPError.ProxyRejection 407 Proxy Authentication Required, 9 bytes of text/plain`.
    public var description: String {
        "HTTPError.ProxyRejection \(status), \(amount(body.count, head.headers[.contentType]))"
    }

    /// The head, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["head": head, "body": body.count])
    }
}
