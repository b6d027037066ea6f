extension HTTPTestServer {
    /// Says what to answer: a good response, or one of the ways in which servers fail.
    ///
    ///     .json(#"{"id": 7}"#)
    ///     .status(.noContent)
    ///     .text("slow").delayed(by: .seconds(2))
    ///     .json(text).gzipped()
    ///     .chunks(["one", "two"], every: .milliseconds(50))
    ///     .text("Hello, world").truncated(to: 5)
    ///     .reset
    ///
    /// Content-Length or Transfer-Encoding is added as the content demands, unless ``headers`` has
    /// one of them: then what you say is sent, true or not.
    ///
    /// ## Topics
    /// ### Good answers
    /// - ``status(_:headers:)``
    /// - ``text(_:status:)``
    /// - ``json(_:status:)``
    /// - ``bytes(_:contentType:status:)``
    /// - ``echo(_:)``
    /// - ``chunks(_:every:)``
    /// - ``stream(_:)-(AsyncSequence)``
    /// ### Changing one
    /// - ``delayed(by:)``
    /// - ``gzipped()``
    /// - ``truncated(to:)``
    /// ### Failures
    /// - ``close``
    /// - ``reset``
    /// - ``stall``
    /// - ``raw(_:)``
    public struct Response: Sendable {
        enum Content: Sendable {
            case bytes([UInt8])
            /// The head announces all bytes, `sent` of them follow, then the connection closes.
            case truncated([UInt8], sent: Int)
            case stream(@concurrent @Sendable (BodyWriter) async throws -> Void)
            /// These bytes in place of a response, head and all; then the connection closes.
            case raw([UInt8])
            /// These bytes, others below TLS, and the end of TCP without TLS close-notify.
            case closedAbruptly([UInt8], plaintext: [UInt8])
            case close
            case reset
            case stall
        }

        /// The status.
        public var status: HTTPStatus

        /// Fields to send; `Connection: close` closes the connection after the response.
        public var headers: HTTPHeaders

        /// How long to wait before the first byte is sent; zero unless you say so.
        public var delay: Duration

        var content: Content

        init(_ status: HTTPStatus, _ headers: HTTPHeaders, _ content: Content) {
            self.status = status
            self.headers = headers
            self.content = content
            delay = .zero
        }

        // MARK: - Changing one

        /// Returns the same response, sent after a pause.
        public func delayed(by delay: Duration) -> Response {
            var copy = self
            copy.delay = delay
            return copy
        }

        /// Returns the same response with another field, beside those of that name.
        public func header(_ name: FieldName, _ value: String) -> Response {
            var copy = self
            copy.headers.append(name, value)
            return copy
        }

        /// Returns the same response with its content as gzip (RFC 1952) and the field that says so.
        ///
        /// The bytes are wrapped, not made fewer. A streamed or failing response stays as it is.
        public func gzipped() -> Response {
            guard case .bytes(let bytes) = content else { return self }
            var copy = self
            copy.content = .bytes(StoredGzip.encode(bytes))
            copy.headers.replace(.contentEncoding, with: "gzip")
            return copy
        }

        /// Returns the same response, which announces its whole body and closes in the middle of it.
        ///
        /// A streamed or failing response stays as it is; end a stream early by throwing from it.
        ///
        /// - Parameter count: bytes of the body to send; at most all.
        /// - Returns: a copy.
        public func truncated(to count: Int) -> Response {
            guard case .bytes(let bytes) = content else { return self }
            var copy = self
            copy.content = .truncated(bytes, sent: min(max(count, 0), bytes.count))
            return copy
        }
    }
}
