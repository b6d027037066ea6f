public import Wire

extension HTTPStub {
    /// Holds a request as it was about to be sent, or as it arrived: with the client's fields,
    /// cookies and credentials.
    public struct Request: Sendable {
        /// The method.
        public let method: HTTPMethod

        /// The URL, absolute and without user name and password.
        public let url: URI

        /// The field section, complete.
        public let headers: HTTPHeaders

        /// The content, without its chunks; empty when there is none.
        ///
        /// Also empty while nothing of a body has been made that is made while it is sent: matchers see
        /// it so, an ``HTTPStub/Answer`` gets it whole.
        public internal(set) var body: [UInt8]

        /// What the matcher's template found in the URL; empty without a template.
        public internal(set) var variables: [String: HTTPParameterValue]

        /// The content is not here yet.
        var isBodyPending: Bool

        init(_ plan: Plan) {
            method = plan.head.method
            url = plan.url.withoutUserinfo
            headers = plan.head.headers
            body = plan.body
            variables = [:]
            isBodyPending = plan.streamedBody != nil
        }

        /// The body as text: UTF-8, where bytes that are no UTF-8 become U+FFFD.
        public var text: String { String(decoding: body, as: UTF8.self) }

        /// The items of the query, in order; empty without a query.
        public var query: [HTTPQueryItem] { HTTPQueryItem.items(of: url.query) }

        /// Reads the body as JSON.
        ///
        /// - Throws: when it is none, where and why.
        public func json() throws(HTTPJSONError) -> HTTPJSON { try HTTPJSON(parsing: body) }

        /// Finds the text of a variable of the template.
        ///
        /// - Returns: nil for one without a value, and for lists and objects.
        public func variable(_ name: String) -> String? {
            if case .string(let text)? = variables[name] { text } else { nil }
        }
    }
}

extension HTTPStub.Request: CustomStringConvertible {
    /// Method and URL.
    public var description: String { HTTPError.summary(method, url.publicText) }
}
