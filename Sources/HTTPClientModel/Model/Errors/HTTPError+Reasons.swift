public import Wire

// The reasons that the cases of HTTPError.Kind carry. Those with more rules have their own files.

extension HTTPError {
    /// The reason why the client has no credentials for an origin.
    ///
    /// An origin that rejects credentials is not such a failure: the call returns its 401 response.
    @nonexhaustive public enum AuthenticationReason: Sendable, Hashable {
        /// A credential provider threw; ``HTTPError/underlying`` is the error.
        case provider(description: String)
        /// Refreshing a token failed; ``HTTPError/underlying`` is the error.
        case refresh(description: String)
        /// The refresh closure of an ``HTTPTokenSource`` called ``HTTPTokenSource/token()`` of the same source.
        case recursiveRefresh
    }
}

extension HTTPError.AuthenticationReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .provider(let description): "the credential provider failed: \(description)"
        case .refresh(let description): "the token could not be refreshed: \(description)"
        case .recursiveRefresh:
            "the refresh closure of a token source called token() of the same source"
        }
    }
}

extension HTTPError {
    /// The reason why the body of a request could not be sent to its end.
    ///
    /// The client then closes the connection, so that the peer can detect the incomplete request.
    @nonexhaustive public enum BodyReason: Sendable, Hashable {
        /// The sequence that produces the body threw; ``HTTPError/underlying`` is the error.
        case thrown(description: String)
        /// The body ended before its announced length, in bytes.
        case tooShort(expected: Int, sent: Int)
        /// The body is longer than its announced length, in bytes.
        ///
        /// No byte beyond that length was sent, and possibly not all bytes before it.
        case tooLong(expected: Int)
        /// The file could not be read any more, or it has changed since its length was announced.
        case file(String, FileError)
        /// The body can be produced only once, and the client had to send it again for this reason.
        ///
        /// Use a replayable body, such as a file, or a closure that creates the sequence
        /// (``HTTPBody/stream(length:contentType:_:)``).
        case notReplayable(HTTPMetrics.Attempt.Reason)
        /// The closure of ``HTTPBody/trailers(_:_:)`` returned a field that was not announced.
        case unannouncedTrailer(String)
        /// A field that the closure of ``HTTPBody/trailers(_:_:)`` returned cannot be sent.
        case invalidTrailer(WireError)
    }
}

extension HTTPError {
    /// The reason why a file cannot be the body of a request.
    @nonexhaustive public enum FileError: Error, Sendable, Hashable {
        /// The file could not be opened or read; `reason` is the system's text, such as `Permission denied`.
        case unreadable(errno: Int32, reason: String)
        /// The path is a directory, a pipe or a device, which has no known length.
        case notRegular
        /// The requested range is not within the file, which has `length` bytes.
        case rangeOutOfBounds(length: Int)
        /// The length of the file has changed since it was announced.
        case changed
    }
}

extension HTTPError.BodyReason: CustomStringConvertible {
    /// A one-line description, with the change that is needed if the caller can make one.
    public var description: String {
        switch self {
        case .thrown(let description): "producing the body failed: \(description)"
        case .tooShort(let expected, let sent):
            "the body ended after \(sent) bytes, but \(expected) were expected"
        case .tooLong(let expected): "the body is longer than the expected \(expected) bytes"
        case .file(let path, let reason): "\(path): \(reason)"
        case .notReplayable(.first):
            "the body can be produced only once, and another call sends it: use a closure that creates it"
        case .notReplayable(let reason):
            "the body had to be sent again (\(reason)), but can be produced only once: "
                + "use a closure that creates it"
        case .unannouncedTrailer(let name):
            "the trailer \(name) was not announced: add it to the names of the trailers"
        case .invalidTrailer(let error): "a trailer is invalid: \(error)"
        }
    }
}

extension HTTPError.FileError: CustomStringConvertible {
    /// A one-line description, without the path.
    public var description: String {
        switch self {
        case .unreadable(_, let reason): reason
        case .notRegular: "not a regular file: send its content as a stream"
        case .rangeOutOfBounds(let length): "the range is not within the file's \(length) bytes"
        case .changed: "changed while it was being sent"
        }
    }
}

extension HTTPError {
    /// The reason why a redirect could not be followed; the error has the response.
    @nonexhaustive public enum RedirectReason: Sendable, Hashable {
        /// The call exceeded ``HTTPRedirectOptions/maxRedirects``.
        case tooMany(limit: Int)
        /// Location, with this text, is not a URL.
        case invalidLocation(String)
        /// The response has several Location fields with different values.
        case differentLocations([String])
        /// Location has a scheme other than http and https.
        case unsupportedScheme(String)
        /// Location leads from https to http, which ``HTTPRedirectOptions/allowsDowngrade`` forbids.
        case downgrade
        /// The closure of ``HTTPRedirectOptions/Mode/custom(_:)`` threw this error.
        case thrown(description: String)
    }
}

extension HTTPError.RedirectReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .tooMany(let limit): "more than \(limit) redirects"
        case .invalidLocation(let text):
            "redirected to \(LogText.quoted(url: text)), which is not a URL\(Self.reason(text))"
        case .differentLocations(let texts):
            "redirected to several different URLs: \(texts.map { LogText.quoted(url: $0) }.joined(separator: ", "))"
        case .unsupportedScheme(let scheme):
            "redirected to the scheme \(scheme.debugDescription), which is neither http nor https"
        case .downgrade: "redirected from https to http, which is not allowed"
        case .thrown(let description): "the custom redirect closure failed: \(description)"
        }
    }

    /// The rule that a Location violates, after a colon; empty if the URL itself is valid.
    private static func reason(_ text: String) -> String {
        do throws(WireError) {
            _ = try URI(encoding: text)
            return ""
        } catch {
            return ": \(error)"
        }
    }
}

extension HTTPError {
    /// The difference between a 206 (Partial Content) and the range that was requested.
    @nonexhaustive public enum RangeError: Error, Sendable, Hashable {
        /// The request had no Range field.
        case notRequested
        /// The response has no Content-Range field in bytes, several of them, or a malformed one.
        ///
        /// A multipart/byteranges response to a request for several ranges needs none.
        case missingContentRange
        /// The bytes are not among the requested ones; fewer bytes are not a mismatch (RFC 9110 §15.3.7).
        case unexpectedRange(requested: RangeHeader, answered: ContentRange)
        /// The body does not have the length of its Content-Range; it has `received` bytes or more.
        ///
        /// A shorter body that only the end of the connection ends is a ``HTTPError/Kind/truncatedResponse(_:)``.
        case lengthMismatch(ContentRange, received: Int)
    }
}

extension HTTPError.RangeError: CustomStringConvertible {
    /// One line that describes the difference.
    public var description: String {
        switch self {
        case .notRequested: "the server sent a range, but the request had no Range field"
        case .missingContentRange: "the server sent a range without a valid Content-Range"
        case .unexpectedRange(let requested, let answered):
            "\"\(requested)\" was requested, but the server sent \"\(answered)\""
        case .lengthMismatch(let range, let received):
            "the body of the range \"\(range)\" has \(received) bytes"
        }
    }
}

extension HTTPError {
    /// The reason why a body is not text.
    @nonexhaustive public enum TextReason: Sendable, Hashable {
        /// The client does not support the charset of this name.
        case unknownCharset(String)
        /// The bytes are not valid text in the charset, starting at `offset`, counted from 0.
        case malformed(charset: String, offset: Int)
    }
}

extension HTTPError.TextReason: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .unknownCharset(let name):
            "the charset \"\(name)\" is not supported: specify another charset, or use the bytes"
        case .malformed(let charset, let offset):
            "the body is not valid text in \(charset) from byte \(offset) on"
        }
    }
}
