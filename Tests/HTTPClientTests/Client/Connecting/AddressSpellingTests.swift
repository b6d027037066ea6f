import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing

/// Tests that all spellings of an address are one host, wherever hosts are compared.
@Suite(.timeLimit(.minutes(10)), .serialized) struct AddressSpellingTests {
    private static let spellings = ["127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433"]

    private func spelled(_ url: String, _ host: String) -> String {
        let parts = url.split(separator: "127.0.0.1", maxSplits: 1)
        return "\(parts[0])\(host)\(parts[1])"
    }

    @Test(arguments: spellings)
    func `cookies, credentials, the pool and the Host field know one host`(
        host: String
    ) async throws {
        let server = try await HTTPTestServer.start { request in
            guard request.headers[.authorization] != nil else {
                return HTTPTestServer.Response.status(.unauthorized)
                    .header("WWW-Authenticate", "Basic realm=\"a\"")
            }
            return .text("ok").header("Set-Cookie", "sid=1")
        }
        let client = HTTPClient().with {
            $0.cookies = .jar(CookieJar())
            $0.authentication = .any(user: "u", password: "p")
        }
        _ = try await client.send(server.url + "/a").requireSuccess()
        _ = try await client.send(spelled(server.url, host) + "/b").requireSuccess()
        let requests = server.requests
        // The second request has the credentials of the first one's host at once.
        try #require(requests.map(\.path) == ["/a", "/a", "/b"])
        let authority = server.url.dropFirst("http://".count)
        #expect(requests[2].headers["Host"] == String(authority))
        #expect(requests[2].headers["Cookie"] == "sid=1")
        #expect(requests[1].connection == requests[2].connection)
    }

    @Test(arguments: spellings)
    func `an override of one spelling holds for the others`(host: String) async throws {
        let server = try await HTTPTestServer.start { _ in .text("ok") }
        let elsewhere = try #require(IPAddress("127.0.0.9"))
        for (named, requested) in [(host, "127.0.0.1"), ("127.0.0.1", host)] {
            let client = HTTPClient().with {
                $0.connectOptions.overrides = [
                    HTTPConnectOptions.AddressOverride(
                        host: named,
                        port: nil,
                        addresses: [elsewhere]
                    )
                ]
            }
            // No server listens at the other address.
            let error = await failure { try await client.send(spelled(server.url, requested)) }
            #expect(error?.failedAddresses.first.map { "\($0)" }?.contains("127.0.0.9") == true)
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: spellings)
    func `the certificate of an address is valid for its spellings`(host: String) async throws {
        let server = try await SecureServer()
        let client = server.client()
        #expect(try await client.send(server.url(host)).status == .ok)
    }

    @Test(arguments: spellings)
    func `an entry of a netrc file is found by any spelling`(host: String) throws {
        let netrc = try HTTPNetrc(text: "machine \(host) login u password p")
        #expect(netrc.credentials(host: "127.0.0.1") != nil)
        let other = try HTTPNetrc(text: "machine 127.0.0.1 login u password p")
        #expect(other.credentials(host: host) != nil)
    }
}
