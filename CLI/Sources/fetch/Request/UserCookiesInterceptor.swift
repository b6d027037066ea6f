internal import HTTPClient

/// An interceptor that sends the jar's cookies before those of the command line, as curl does.
///
/// The client itself would leave out the jar's cookies that the command line also names. A login
/// could then not change them.
struct UserCookiesInterceptor: HTTPInterceptor {
    let jar: CookieJar

    /// Joins both into one field.
    ///
    /// In another origin there are no cookies of the command line.
    func intercept(
        _ request: HTTPRequest,
        _ context: HTTPContext,
        next: HTTPNext
    ) async throws -> HTTPInterceptorResult {
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
