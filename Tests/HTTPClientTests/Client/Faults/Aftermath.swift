import HTTPClient
import Support
import Testing

/// Checks that a client works after a fault: its next request succeeds, and draining the pool closes
/// all connections.
///
/// - Parameters:
///   - client: The client after the fault.
///   - next: A request that must be answered with 200.
///   - ports: Ports to which this process must have no connection in the end.
///   - location: The location of the test.
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

/// A permitted outcome of a fault.
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
