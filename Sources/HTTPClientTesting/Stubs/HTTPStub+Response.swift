internal import HTTPClient
public import Wire

extension HTTPStub {
    /// The response of a stub: a normal response, a failure, or the raw bytes of a broken server.
    ///
    ///     .json(["id": 7])
    ///     .text("slow").delayed(by: .seconds(2))
    ///     .file("photo.jpg", contentType: "image/jpeg").throttled(to: .edge)
    ///     .text("Hello, world").truncated(to: 5)
    ///     .error(.timedOut(.connect))
    ///     .raw("HTTP/1.1 200 OK\r\nContent-Length: no\r\n\r\n")
    ///
    /// Content-Length or Transfer-Encoding is added as the content requires. If ``headers`` already
    /// contains one of them, that field is sent unchanged, even if it is wrong.
    ///
    /// ## Topics
    /// ### Successful responses
    /// - ``status(_:headers:)``
    /// - ``text(_:status:)``
    /// - ``json(_:status:)-(HTTPJSON,_)``
    /// - ``json(_:status:)-(String,_)``
    /// - ``bytes(_:contentType:status:)``
    /// - ``file(_:contentType:status:)``
    /// - ``redirect(to:status:)``
    /// - ``chunks(_:every:)-([String],_)``
    /// - ``chunks(_:every:)-([[UInt8]],_)``
    /// - ``echo``
    /// ### Modifying responses
    /// - ``header(_:_:)``
    /// - ``delayed(by:)``
    /// - ``gzipped()``
    /// - ``throttled(to:)``
    /// - ``truncated(after:by:)``
    /// - ``truncated(to:by:)``
    /// ### Failures
    /// - ``error(_:)``
    /// - ``close``
    /// - ``reset``
    /// - ``stall``
    /// - ``raw(_:)-(String)``
    public struct Response: Sendable {
        enum Content: Sendable {
            case bytes([UInt8])
            case file(path: String)
            case chunks([[UInt8]], every: Duration)
            /// The request's own content and header fields.
            case echo
            /// Bytes that replace the whole response, including its head.
            case raw([UInt8])
            case error(HTTPError.Kind)
            case failure(HTTPStubError)
        }

        /// The way in which a response breaks off.
        public enum Truncation: Sendable, Hashable {
            /// The connection is closed normally.
            case close
            /// The connection is reset: the bytes sent before arrive, and then an error.
            case reset
            /// The connection stays open, and no more bytes are sent.
            case stall
        }

        enum Place: Sendable {
            /// This many bytes after the start of the head.
            case head(Int)
            /// This many bytes after the end of the head.
            case body(Int)
        }

        /// The status.
        public var status: HTTPStatus

        /// The header fields to send.
        public var headers: HTTPHeaders

        /// The time to wait before the first byte; default zero.
        public var delay = Duration.zero

        /// The maximum speed of the response; nil for no limit.
        public var speed: Speed?

        var content: Content
        var truncation: (place: Place, kind: Truncation)?

        init(_ status: HTTPStatus, _ headers: HTTPHeaders, _ content: Content) {
            self.status = status
            self.headers = headers
            self.content = content
        }

        // MARK: - Modifying responses

        /// Returns a copy with another header field, in addition to those of the same name.
        public func header(_ name: FieldName, _ value: String) -> Response {
            changed { $0.headers.append(name, value) }
        }

        /// Returns a copy with another status.
        public func status(_ status: HTTPStatus) -> Response { changed { $0.status = status } }

        /// Returns a copy that is sent, or whose error is thrown, after a delay.
        public func delayed(by delay: Duration) -> Response { changed { $0.delay = delay } }

        /// Returns a copy that is sent at no more than this speed.
        ///
        /// The speed applies to head and body, in slices of a twentieth of a second.
        public func throttled(to speed: Speed) -> Response { changed { $0.speed = speed } }

        /// Returns a copy with its content as gzip (RFC 1952) and the field Content-Encoding.
        ///
        /// A response whose content is not bytes in memory is returned unchanged.
        public func gzipped() -> Response {
            guard case .bytes(let bytes) = content, let coded = Deflater.gzip(bytes) else {
                return self
            }
            return changed {
                $0.content = .bytes(coded)
                $0.headers.replace(.contentEncoding, with: "gzip")
            }
        }

        /// Returns a copy that breaks off.
        ///
        /// - Parameters:
        ///   - bytes: the number of bytes sent of the whole response, including its head and
        ///     chunks.
        ///   - kind: the way in which the response breaks off. Default ``Truncation/close``.
        /// - Returns: a copy.
        public func truncated(after bytes: Int, by kind: Truncation = .close) -> Response {
            changed { $0.truncation = (.head(max(bytes, 0)), kind) }
        }

        /// Returns a copy that breaks off after its head, or within its body.
        ///
        /// - Parameters:
        ///   - bytes: the number of bytes sent of the body, including its chunk framing.
        ///   - kind: the way in which the response breaks off. Default ``Truncation/close``.
        /// - Returns: a copy.
        public func truncated(to bytes: Int, by kind: Truncation = .close) -> Response {
            changed { $0.truncation = (.body(max(bytes, 0)), kind) }
        }

        private func changed(_ change: (inout Response) -> Void) -> Response {
            var copy = self
            change(&copy)
            return copy
        }
    }
}

extension HTTPStub.Response: CustomStringConvertible, CustomReflectable {
    /// Status and size, such as `200 OK, 464 bytes`, or the failure; never the content.
    public var description: String {
        switch content {
        case .bytes(let bytes): "\(status), \(bytes.count) bytes"
        case .file(let path): "\(status), the file \(LogText.line(path))"
        case .chunks(let chunks, _): "\(status), \(chunks.count) chunks"
        case .echo: "\(status), the content of the request"
        case .raw(let bytes): "\(bytes.count) raw bytes"
        case .error(let kind): "\(kind)"
        case .failure(let error): "\(error)"
        }
    }

    /// The parts of the response, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["response": description, "headers": headers, "delay": delay])
    }
}
