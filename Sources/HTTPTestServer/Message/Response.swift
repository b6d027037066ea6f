extension HTTPTestServer {
    /// A response of a server: a successful one, or a simulated failure.
    ///
    ///     .json(#"{"id": 7}"#)
    ///     .status(.noContent)
    ///     .text("slow").delayed(by: .seconds(2))
    ///     .json(text).gzipped()
    ///     .chunks(["one", "two"], every: .milliseconds(50))
    ///     .text("Hello, world").truncated(to: 5)
    ///     .reset
    ///
    /// The server adds Content-Length or Transfer-Encoding as the content requires. If ``headers``
    /// contains one of them, it is sent unchanged, even if it is wrong.
    ///
    /// ## Topics
    /// ### Successful responses
    /// - ``status(_:headers:)``
    /// - ``text(_:status:)``
    /// - ``json(_:status:)``
    /// - ``bytes(_:contentType:status:)``
    /// - ``file(_:contentType:status:)``
    /// - ``echo(_:)``
    /// - ``chunks(_:every:)-([String],_)``
    /// - ``chunks(_:every:)-([[UInt8]],_)``
    /// - ``stream(_:)-(Pieces)``
    /// - ``stream(_:)-((BodyWriter)->Void)``
    /// ### Modifiers
    /// - ``delayed(by:)``
    /// - ``gzipped()``
    /// - ``truncated(to:)``
    /// ### Failures
    /// - ``close``
    /// - ``reset``
    /// - ``stall``
    /// - ``raw(_:)-(String)``
    /// - ``raw(_:)-([UInt8])``
    public struct Response: Sendable {
        enum Content: Sendable {
            case bytes([UInt8])
            /// The head announces all bytes, `sent` of them follow, then the connection closes.
            case truncated([UInt8], sent: Int)
            case stream(@concurrent @Sendable (BodyWriter) async throws -> Void)
            /// These bytes replace the response, including the head; then the connection closes.
            case raw([UInt8])
            /// These bytes, others outside TLS, and the end of TCP without TLS close-notify.
            case closedAbruptly([UInt8], plaintext: [UInt8])
            case close
            case reset
            case stall
        }

        /// The status.
        public var status: HTTPStatus

        /// The header fields; `Connection: close` closes the connection after the response.
        public var headers: HTTPHeaders

        /// The delay before the first byte is sent; zero by default.
        public var delay: Duration

        var content: Content

        init(_ status: HTTPStatus, _ headers: HTTPHeaders, _ content: Content) {
            self.status = status
            self.headers = headers
            self.content = content
            delay = .zero
        }

        // MARK: - Modifiers

        /// Returns a copy that is sent after a delay.
        public func delayed(by delay: Duration) -> Response {
            var copy = self
            copy.delay = delay
            return copy
        }

        /// Returns a copy with another status.
        public func status(_ status: HTTPStatus) -> Response {
            var copy = self
            copy.status = status
            return copy
        }

        /// Returns a copy with an additional header field; existing fields of that name are kept.
        public func header(_ name: FieldName, _ value: String) -> Response {
            var copy = self
            copy.headers.append(name, value)
            return copy
        }

        /// Returns a copy with its content as gzip (RFC 1952) and the field Content-Encoding.
        ///
        /// The bytes are not compressed. A streamed or failing response is returned unchanged.
        public func gzipped() -> Response {
            guard case .bytes(let bytes) = content else { return self }
            var copy = self
            copy.content = .bytes(StoredGzip.encode(bytes))
            copy.headers.replace(.contentEncoding, with: "gzip")
            return copy
        }

        /// Returns a copy that announces its whole body but closes the connection before its end.
        ///
        /// A streamed or failing response is returned unchanged; end a stream early by throwing
        /// from it.
        ///
        /// - Parameter count: the number of body bytes to send; limited to the size of the body.
        /// - Returns: the copy.
        public func truncated(to count: Int) -> Response {
            guard case .bytes(let bytes) = content else { return self }
            var copy = self
            copy.content = .truncated(bytes, sent: min(max(count, 0), bytes.count))
            return copy
        }
    }
}

extension HTTPTestServer {
    /// A writer that sends a streamed body in pieces.
    public struct BodyWriter: Sendable {
        /// Sends one piece; returns false if the connection is lost.
        let send: @Sendable ([UInt8]) async -> Bool

        /// Sends one piece; returns when the kernel has accepted all of it.
        ///
        /// - Parameter bytes: the piece; nothing is sent if it is empty.
        /// - Throws: ``ConnectionLostError`` if the client closed the connection or accepted no bytes
        ///   for 30 s, or if the server stops.
        public func write(_ bytes: [UInt8]) async throws(ConnectionLostError) {
            guard await send(bytes) else { throw ConnectionLostError() }
        }

        /// Sends one piece of text as UTF-8; returns when the kernel has accepted all of it.
        ///
        /// - Throws: the same error as ``write(_:)-([UInt8])``.
        public func write(_ text: String) async throws(ConnectionLostError) {
            try await write(Array(text.utf8))
        }
    }

    /// The error of a streamed body whose connection was lost; no more bytes can be sent.
    public struct ConnectionLostError: Error, Sendable, Hashable {}
}

extension HTTPTestServer.Response: CustomStringConvertible, CustomReflectable {
    /// Status and size, such as `200 OK, 464 bytes`; never the content.
    public var description: String {
        let body =
            switch content {
            case .bytes(let bytes): "\(bytes.count) bytes"
            case .truncated(let bytes, let sent): "\(sent) of \(bytes.count) bytes"
            case .stream: "a stream"
            case .raw(let bytes): "\(bytes.count) raw bytes"
            case .closedAbruptly(let bytes, _): "\(bytes.count) bytes, then the end of TCP"
            case .close: "closes the connection"
            case .reset: "resets the connection"
            case .stall: "sends nothing"
            }
        return "\(status), \(body)"
    }

    /// The parts of the response, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["response": description, "headers": headers, "delay": delay])
    }
}
