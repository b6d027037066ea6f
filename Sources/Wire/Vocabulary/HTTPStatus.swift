/// The three-digit status code of a response (RFC 9110 §15).
///
/// The type accepts any number; the encoder refuses numbers that do not have three digits.
public struct HTTPStatus: ExpressibleByIntegerLiteral, Hashable, Comparable, Sendable,
    CustomStringConvertible
{
    /// The code in two bytes, because a larger number would make every head larger and slower to copy.
    private let number: Int16

    /// The status code; 100 to 599 have a meaning, 600 to 999 can be received.
    public var code: Int { Int(number) }

    /// Creates a status with the given code, known or not; numbers beyond 16 bits are clamped.
    public init(_ code: Int) {
        number = Int16(clamping: code)
    }

    /// Creates a status with the given code, known or not; numbers beyond 16 bits are clamped.
    public init(integerLiteral value: Int) {
        number = Int16(clamping: value)
    }

    /// A class of statuses, given by the first digit (RFC 9110 §15).
    public enum Kind: Sendable, Hashable {
        /// 1xx: interim; the final response follows.
        case informational
        /// 2xx: the request succeeded.
        case successful
        /// 3xx: the client must take further action.
        case redirection
        /// 4xx: the request is at fault.
        case clientError
        /// 5xx: the server failed.
        case serverError
        /// Any other code; treat it as 5xx (RFC 9110 §15).
        case other
    }

    /// The class of the status, given by its first digit.
    public var kind: Kind {
        switch code {
        case 100..<200: .informational
        case 200..<300: .successful
        case 300..<400: .redirection
        case 400..<500: .clientError
        case 500..<600: .serverError
        default: .other
        }
    }

    /// Orders statuses by code.
    public static func < (left: HTTPStatus, right: HTTPStatus) -> Bool {
        left.code < right.code
    }

    /// The code, followed by its name if it has one.
    public var description: String {
        let phrase = reasonPhrase
        return phrase.isEmpty ? "\(code)" : "\(code) \(phrase)"
    }
}

extension HTTPStatus {
    /// The client may send the body that it announced; 100.
    public static var `continue`: HTTPStatus { 100 }
    /// The connection switches to the requested protocol; 101.
    public static var switchingProtocols: HTTPStatus { 101 }
    /// The server is processing the request; 102.
    public static var processing: HTTPStatus { 102 }
    /// The response contains fields that the final response will likely have; 103.
    public static var earlyHints: HTTPStatus { 103 }
    /// The request succeeded; 200.
    public static var ok: HTTPStatus { 200 }
    /// A resource was created; 201.
    public static var created: HTTPStatus { 201 }
    /// The request will be processed later; 202.
    public static var accepted: HTTPStatus { 202 }
    /// A proxy changed the content; 203.
    public static var nonAuthoritativeInformation: HTTPStatus { 203 }
    /// The request succeeded, and the response has no content; 204.
    public static var noContent: HTTPStatus { 204 }
    /// The request succeeded, and the client should clear the form; 205.
    public static var resetContent: HTTPStatus { 205 }
    /// The response contains the requested ranges; 206.
    public static var partialContent: HTTPStatus { 206 }
    /// The content contains several statuses (RFC 4918); 207.
    public static var multiStatus: HTTPStatus { 207 }
    /// There are several representations; 300.
    public static var multipleChoices: HTTPStatus { 300 }
    /// The resource has a new URI; POST may become GET; 301.
    public static var movedPermanently: HTTPStatus { 301 }
    /// The resource is temporarily at another URI; POST may become GET; 302.
    public static var found: HTTPStatus { 302 }
    /// The client should GET another URI for the result; 303.
    public static var seeOther: HTTPStatus { 303 }
    /// The stored copy of the client is still valid; 304.
    public static var notModified: HTTPStatus { 304 }
    /// Deprecated; never followed; 305.
    public static var useProxy: HTTPStatus { 305 }
    /// The resource is temporarily at another URI; the method stays; 307.
    public static var temporaryRedirect: HTTPStatus { 307 }
    /// The resource is permanently at another URI; the method stays; 308.
    public static var permanentRedirect: HTTPStatus { 308 }
    /// The server cannot understand the request; 400.
    public static var badRequest: HTTPStatus { 400 }
    /// Credentials are missing or wrong; 401.
    public static var unauthorized: HTTPStatus { 401 }
    /// Reserved for future use; 402.
    public static var paymentRequired: HTTPStatus { 402 }
    /// The server refuses the request; 403.
    public static var forbidden: HTTPStatus { 403 }
    /// The resource does not exist; 404.
    public static var notFound: HTTPStatus { 404 }
    /// The resource does not support the method; 405.
    public static var methodNotAllowed: HTTPStatus { 405 }
    /// No representation matches the Accept fields; 406.
    public static var notAcceptable: HTTPStatus { 406 }
    /// The proxy requires credentials; 407.
    public static var proxyAuthenticationRequired: HTTPStatus { 407 }
    /// The server waited too long for the request; 408.
    public static var requestTimeout: HTTPStatus { 408 }
    /// The request conflicts with the state of the resource; 409.
    public static var conflict: HTTPStatus { 409 }
    /// The resource was removed permanently; 410.
    public static var gone: HTTPStatus { 410 }
    /// The server requires Content-Length; 411.
    public static var lengthRequired: HTTPStatus { 411 }
    /// A precondition of the request is false; 412.
    public static var preconditionFailed: HTTPStatus { 412 }
    /// The content is larger than the server accepts; 413.
    public static var contentTooLarge: HTTPStatus { 413 }
    /// The target is longer than the server accepts; 414.
    public static var uriTooLong: HTTPStatus { 414 }
    /// The server does not support the format of the content; 415.
    public static var unsupportedMediaType: HTTPStatus { 415 }
    /// None of the requested ranges is within the representation; 416.
    public static var rangeNotSatisfiable: HTTPStatus { 416 }
    /// The server cannot meet the Expect field; 417.
    public static var expectationFailed: HTTPStatus { 417 }
    /// The server does not serve this origin; 421.
    public static var misdirectedRequest: HTTPStatus { 421 }
    /// The content is well formed but cannot be processed; 422.
    public static var unprocessableContent: HTTPStatus { 422 }
    /// The resource is locked (RFC 4918); 423.
    public static var locked: HTTPStatus { 423 }
    /// The request depends on another that failed (RFC 4918); 424.
    public static var failedDependency: HTTPStatus { 424 }
    /// The server does not process a request that may be replayed (RFC 8470); 425.
    public static var tooEarly: HTTPStatus { 425 }
    /// The server requires another protocol; 426.
    public static var upgradeRequired: HTTPStatus { 426 }
    /// The request must be conditional (RFC 6585); 428.
    public static var preconditionRequired: HTTPStatus { 428 }
    /// The client sends too many requests (RFC 6585); 429.
    public static var tooManyRequests: HTTPStatus { 429 }
    /// The header fields are too large (RFC 6585); 431.
    public static var requestHeaderFieldsTooLarge: HTTPStatus { 431 }
    /// The server denies access for legal reasons (RFC 7725); 451.
    public static var unavailableForLegalReasons: HTTPStatus { 451 }
    /// The server failed unexpectedly; 500.
    public static var internalServerError: HTTPStatus { 500 }
    /// The server does not support the method; 501.
    public static var notImplemented: HTTPStatus { 501 }
    /// A gateway or proxy received an invalid response from the server behind it; 502.
    public static var badGateway: HTTPStatus { 502 }
    /// The server cannot process the request at the moment; 503.
    public static var serviceUnavailable: HTTPStatus { 503 }
    /// The server behind a gateway or proxy did not respond in time; 504.
    public static var gatewayTimeout: HTTPStatus { 504 }
    /// The server does not support the HTTP version; 505.
    public static var httpVersionNotSupported: HTTPStatus { 505 }
    /// The server lacks the storage to complete the request (RFC 4918); 507.
    public static var insufficientStorage: HTTPStatus { 507 }
    /// The server found an infinite loop (RFC 5842); 508.
    public static var loopDetected: HTTPStatus { 508 }
    /// The network requires the client to log in (RFC 6585); 511.
    public static var networkAuthenticationRequired: HTTPStatus { 511 }

    /// The standard reason phrase; empty for a code without a name.
    ///
    /// The phrase that a server sent is ``ResponseHead/reason``. Neither has any meaning to a program.
    public var reasonPhrase: String {
        switch code {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 102: "Processing"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 203: "Non-Authoritative Information"
        case 204: "No Content"
        case 205: "Reset Content"
        case 206: "Partial Content"
        case 207: "Multi-Status"
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 305: "Use Proxy"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 423: "Locked"
        case 424: "Failed Dependency"
        case 425: "Too Early"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        case 508: "Loop Detected"
        case 511: "Network Authentication Required"
        default: ""
        }
    }
}
