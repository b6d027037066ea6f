package import HTTPClient
package import Testing

/// Runs an operation that must fail and returns its `HTTPError`; records an issue if it succeeds.
package func failure<Value>(
    _ operation: () async throws -> Value,
    at location: SourceLocation = #_sourceLocation
) async -> HTTPError? {
    do {
        _ = try await operation()
        Issue.record("nothing was thrown", sourceLocation: location)
    } catch let error as HTTPError {
        return error
    } catch {
        Issue.record("not an HTTPError: \(error)", sourceLocation: location)
    }
    return nil
}
