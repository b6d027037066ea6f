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

/// Returns the reason with which a text is rejected; records an issue if it is not, or with another error.
package func invalidReason<Value>(
    _ parse: () throws -> Value,
    at location: SourceLocation = #_sourceLocation
) -> HTTPError.InvalidRequestReason? {
    do {
        _ = try parse()
        Issue.record("nothing was thrown", sourceLocation: location)
    } catch let error as HTTPError {
        if case .invalidRequest(let reason) = error.kind { return reason }
        Issue.record("another kind: \(error)", sourceLocation: location)
    } catch {
        Issue.record("not an HTTPError: \(error)", sourceLocation: location)
    }
    return nil
}
