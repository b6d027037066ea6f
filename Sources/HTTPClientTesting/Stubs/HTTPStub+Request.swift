public import HTTPClient
public import Wire

extension HTTPStub {
    /// A request as it was about to be sent, or as it arrived.
    ///
    /// It includes the header fields, cookies and credentials that the client adds.
    public struct Request: Sendable {
        /// The method.
        public let method: HTTPMethod

        /// The URL, absolute and without user name and password.
        public let url: URI

        /// The complete header section.
        public let headers: HTTPHeaders

        /// The content without chunk framing; empty if there is none.
        ///
        /// It is also empty for a body that is produced while it is sent, until the body has
        /// arrived: matchers see it empty, and an ``HTTPStub/Answer`` gets it complete.
        public internal(set) var body: [UInt8]

        /// The variables that the matcher's template found in the URL; empty without a template.
        public internal(set) var variables: [String: HTTPParameters.ParameterValue]

        /// Whether the content has not arrived yet.
        var isBodyPending: Bool

        init(_ request: HTTPDialRequest) {
            method = request.method
            url = request.url
            headers = request.headers
            body = request.body
            variables = [:]
            isBodyPending = request.isBodyStreamed
        }

        /// The body as UTF-8 text, with U+FFFD for bytes that are not UTF-8.
        public var text: String { String(decoding: body, as: UTF8.self) }

        /// The items of the query, in order; empty without a query.
        public var query: [HTTPQueryItem] { HTTPQueryItem.items(of: url.query) }

        /// Parses the body as JSON.
        ///
        /// - Throws: `.invalidRequest(.json(reason))` with the position of the error.
        public func json() throws(HTTPError) -> HTTPJSON { try HTTPJSON(parsing: body) }

        /// Returns the text of a template variable.
        ///
        /// - Returns: nil for a variable without a value, and for lists and objects.
        public func variable(_ name: String) -> String? {
            if case .string(let text)? = variables[name] { text } else { nil }
        }
    }
}

extension HTTPStub.Request: CustomStringConvertible, CustomReflectable {
    /// The method and the URL, with `***` in place of its secrets.
    public var description: String {
        "\(LogText.line(method.rawValue)) \(LogText.url(url.text))"
    }

    /// The parts of the request, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        let parameters = HTTPParameters(variables)
        return Mirror(
            self,
            children: [
                "request": description, "headers": headers, "body": "\(body.count) bytes",
                "variables": parameters,
            ]
        )
    }
}
