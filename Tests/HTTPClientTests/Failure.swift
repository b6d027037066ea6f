import HTTPClient
import Testing

/// Runs what must fail with an `HTTPError` and returns that; records an issue when it does not.
func failure<Value>(
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
