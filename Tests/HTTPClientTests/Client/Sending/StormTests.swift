import ClientSupport
import HTTPClient
import HTTPTestServer
import Support
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Runs two hundred requests at a time with cancellations, timeouts and resets.
///
/// `STORM_SECONDS` sets the duration (default 2). Run it for a minute under ThreadSanitizer after
/// changes to the engine.
@Suite(.timeLimit(.minutes(10))) struct StormTests {
    @Test func `random faults mix up no responses and leak no connections`() async throws {
        let seconds =
            unsafe getenv("STORM_SECONDS").flatMap { unsafe Int(String(cString: $0)) } ?? 2
        let server = try await HTTPTestServer.start { request in
            switch request.path {
            case "/reset": .reset
            case "/close": .close
            case "/stall": .stall
            case "/cut": .text("half of it").truncated(to: 3)
            case "/slow": .text(request.target).delayed(by: .milliseconds(5))
            default: .text(request.target)
            }
        }
        var configuration = HTTPClient.Configuration()
        configuration.maxConnectionsPerOrigin = 64
        configuration.timeouts.responseHead = .milliseconds(100)
        let client = HTTPClient(configuration)
        let end = ContinuousClock.now + .seconds(seconds)
        let url = server.url

        let tally = await withTaskGroup(of: Tally.self) { group in
            for worker in 0..<200 {
                group.addTask {
                    var tally = Tally()
                    var number = 0
                    // At least five requests for each worker, however late it begins on a busy machine.
                    repeat {
                        number += 1
                        await tally.add(one(client, url, "w=\(worker)&n=\(number)"))
                    } while number < 5 || ContinuousClock.now < end
                    return tally
                }
            }
            return await group.reduce(into: Tally()) { $0.add($1) }
        }
        #expect(tally.wrong == 0)
        #expect(tally.answered > 0)
        #expect(tally.failed > 0)
        let after = HTTPRequest(url + "/after").timeouts { $0.responseHead = .seconds(60) }
        #expect(try await client.send(after).text == "/after")
        await server.stop()
        while DescriptorCount.connected(toPort: server.port) > 0 { await moment() }
    }

    struct Tally: Sendable {
        var answered = 0
        var failed = 0
        var wrong = 0

        mutating func add(_ other: Tally) {
            answered += other.answered
            failed += other.failed
            wrong += other.wrong
        }
    }
}

/// Makes one request of a random kind; the response must belong to this request.
private func one(_ client: HTTPClient, _ url: String, _ tag: String) async -> StormTests.Tally {
    let path =
        switch Int.random(in: 0..<20) {
        case 0: "/reset"
        case 1: "/close"
        case 2: "/stall"
        case 3: "/cut"
        case 4, 5: "/slow"
        default: "/echo"
        }
    let target = "\(path)?\(tag)"
    let request = HTTPRequest(url + target)
    let task = Task {
        do throws(HTTPError) {
            return (try await client.send(request).text, true)
        } catch {
            return ("\(error)", false)
        }
    }
    if Int.random(in: 0..<8) == 0 {
        for _ in 0..<Int.random(in: 0..<50) { await Task.yield() }
        task.cancel()
    }
    let (text, isAnswer) = await task.value
    var tally = StormTests.Tally()
    if !isAnswer {
        tally.failed = 1
    } else if text == target {
        tally.answered = 1
    } else {
        tally.wrong = 1
    }
    return tally
}
