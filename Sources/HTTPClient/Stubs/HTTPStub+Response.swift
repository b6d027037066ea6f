public import Wire

extension HTTPStub {
    /// Says what is answered: a good response, a failure, or bytes as a broken server sends them.
    ///
    ///     .json(["id": 7])
    ///     .text("slow").delayed(by: .seconds(2))
    ///     .file("photo.jpg", contentType: "image/jpeg").throttled(to: .edge)
    ///     .text("Hello, world").truncated(afterBodyBytes: 5)
    ///     .error(.timedOut(.connect))
    ///     .raw("HTTP/1.1 200 OK\r\nContent-Length: no\r\n\r\n")
    ///
    /// Content-Length or Transfer-Encoding is added as the content demands, unless ``headers`` has
    /// one of them: then what you say is sent, true or not.
    ///
    /// ## Topics
    /// ### Good answers
    /// - ``status(_:headers:)``
    /// - ``text(_:status:)``
    /// - ``json(_:status:)-(HTTPJSON,_)``
    /// - ``json(_:status:)-(String,_)``
    /// - ``bytes(_:contentType:status:)``
    /// - ``file(_:contentType:status:)``
    /// - ``redirect(to:status:)``
    /// - ``chunks(_:every:)``
    /// - ``echo``
    /// ### Changing one
    /// - ``header(_:_:)``
    /// - ``delayed(by:)``
    /// - ``throttled(to:)``
    /// - ``truncated(after:by:)``
    /// - ``truncated(afterBodyBytes:by:)``
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
            /// The request's own content and fields.
            case echo
            /// In place of a response, head and all.
            case raw([UInt8])
            case error(HTTPError.Kind)
        }

        /// Names how a connection is left in the middle of a response.
        public enum Truncation: Sendable, Hashable {
            /// It is closed in order.
            case close
            /// It is reset: what was sent arrives, and then a failure.
            case reset
            /// It stays open, and nothing more comes.
            case stall
        }

        enum Place: Sendable {
            /// So many bytes behind the start of the head.
            case head(Int)
            /// So many bytes behind the end of the head.
            case body(Int)
        }

        /// The status.
        public var status: HTTPStatus

        /// Fields to send.
        public var headers: HTTPHeaders

        /// How long to wait before the first byte; zero unless you say so.
        public var delay = Duration.zero

        /// How fast bytes come; nil for as fast as they are read.
        public var speed: Speed?

        var content: Content
        var truncation: (place: Place, kind: Truncation)?

        init(_ status: HTTPStatus, _ headers: HTTPHeaders, _ content: Content) {
            self.status = status
            self.headers = headers
            self.content = content
        }

        // MARK: - Changing one

        /// Returns the same response with another field, beside those of that name.
        public func header(_ name: FieldName, _ value: String) -> Response {
            changed { $0.headers.append(name, value) }
        }

        /// Returns the same response, sent after a pause; an error is thrown after it.
        public func delayed(by delay: Duration) -> Response { changed { $0.delay = delay } }

        /// Returns the same response, of which no more bytes come in a second.
        ///
        /// Head and body alike, in slices of a twentieth of a second.
        public func throttled(to speed: Speed) -> Response { changed { $0.speed = speed } }

        /// Returns the same response, which breaks off.
        ///
        /// - Parameters:
        ///   - bytes: of the whole response, its head and chunks included, that are sent.
        ///   - kind: default ``Truncation/close``.
        /// - Returns: a copy.
        public func truncated(after bytes: Int, by kind: Truncation = .close) -> Response {
            changed { $0.truncation = (.head(max(bytes, 0)), kind) }
        }

        /// Returns the same response, which breaks off behind its head.
        ///
        /// - Parameters:
        ///   - bytes: of the body, its chunks included, that are sent behind the head.
        ///   - kind: default ``Truncation/close``.
        /// - Returns: a copy.
        public func truncated(afterBodyBytes bytes: Int, by kind: Truncation = .close) -> Response {
            changed { $0.truncation = (.body(max(bytes, 0)), kind) }
        }

        private func changed(_ change: (inout Response) -> Void) -> Response {
            var copy = self
            change(&copy)
            return copy
        }
    }
}
