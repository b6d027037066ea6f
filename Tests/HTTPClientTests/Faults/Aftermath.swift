import HTTPClient
import Support
import Testing

/// Holds a client that has met a fault to what must be true afterwards: the next request works, and
/// when the pool is drained nothing is left of any connection.
///
/// - Parameters:
///   - client: has met it.
///   - next: must be answered with 200.
///   - ports: where nothing of this process may be connected to in the end.
///   - location: of the test.
func expectUnharmed(
    _ client: HTTPClient,
    next: HTTPRequest,
    ports: Int...,
    at location: SourceLocation = #_sourceLocation
) async {
    do {
        let response = try await client.send(next)
        #expect(response.status == .ok, sourceLocation: location)
    } catch {
        Issue.record("the next request failed: \(error)", sourceLocation: location)
    }
    await client.pool.drain()
    let snapshot = await client.pool.snapshot()
    #expect(
        snapshot.idle + snapshot.busy + snapshot.connecting + snapshot.waiting == 0,
        sourceLocation: location
    )
    for port in ports {
        let left = await DescriptorCount.waitUntilStable(at: 0, within: .seconds(10)) {
            DescriptorCount.connected(toPort: port)
        }
        #expect(left == 0, sourceLocation: location)
    }
}

/// Names what may come of a fault.
enum Expected: Sendable {
    case right
    case lost
    case truncated
    case malformed
    case timedOut(HTTPPhase)
    case connectFailed(errno: Int32)

    func fits(_ kind: HTTPError.Kind) -> Bool {
        switch (self, kind) {
        case (.lost, .connectionLost), (.truncated, .truncatedResponse),
            (.malformed, .malformedResponse):
            true
        case (.timedOut(let phase), .timedOut(let passed)): phase == passed
        case (.connectFailed(let errno), .connectFailed(let failed)):
            !failed.isEmpty && failed.allSatisfy { $0.errno == errno }
        default: false
        }
    }
}
