// The demo: real requests to a server in this process, over loopback only. Every step checks its
// result; the exit status is 1 when a step fails.
import Glibc
import HTTPClient
import HTTPTestServer

@main struct Demo {
    static func main() async throws {
        let start = ContinuousClock.now
        let servers = try await DemoServers()
        let tour = Tour(servers)
        print("HTTPClient: a tour of real requests on loopback")
        print("  plain  \(servers.plain.url)")
        print("  TLS    \(servers.secure.url)  (certificate made a moment ago)\n")

        var report = Report()
        await report.step("JSON, decoded into a struct", tour.json)
        await report.step("POST, echoed by the server", tour.post)
        await report.step("gzip, undone on the way", tour.gzip)
        await report.step("a chunked stream, chunk by chunk", tour.stream)
        await report.step("TLS, the chain verified against our authority", tour.trusted)
        await report.step("TLS without that authority: must fail", tour.untrusted)
        await report.step("two requests on one connection", tour.reuse)
        await report.step("a time-out of 150 ms", tour.timeout)
        await report.step("a cancellation", tour.cancellation)
        await report.step("a blocking call on a plain thread", tour.blocking)

        let took = (ContinuousClock.now - start).formattedMilliseconds
        print("\n\(report.passed) of \(report.steps) steps did what they should, in \(took)\n")
        print(
            """
            Now a URL of your own:
              swift run --package-path Examples GetAndPrint https://example.com/
              make cli && CLI/.build/release/fetch -i https://example.com/
            """
        )
        exit(report.passed == report.steps ? 0 : 1)
    }
}
