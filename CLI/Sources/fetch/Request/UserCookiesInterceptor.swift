internal import HTTPClient

/// Puts the cookies of the jar before those of the command line and keeps both, as curl does.
///
/// The client would leave out those of the jar that the command line names as well, and a login would
/// not change them.
struct UserCookiesInterceptor: HTTPInterceptor {
    let jar: CookieJar

    /// Makes one field of both; there is none of ours in another origin.
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPResponse {
        guard let url = request.uri else { return try await next(request) }
        let own = request.headers.filter { FieldName($0.name) == .cookie }.map(\.valueBytes)
        let kept = jar.cookies(for: url).map(\.pairBytes)
        guard !own.isEmpty, !kept.isEmpty else { return try await next(request) }
        var request = request
        request.headers.remove(.cookie)
        request.headers.append(.cookie, bytes: Array((kept + own).joined(separator: [0x3B, 0x20])))
        return try await next(request)
    }
}
