import ClientSupport
import Glibc
import HTTPClient
import Support
import Testing

/// Tests the opening of connections with real sockets.
@Suite(.timeLimit(.minutes(10))) struct ConnectingTests {
    private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private let loopback = IPAddress(bytes: [127, 0, 0, 1])!

    private func client(_ change: (inout HTTPConnectOptions) -> Void) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        change(&configuration.connectOptions)
        return HTTPClient(configuration)
    }

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    // MARK: - Destination

    @Test func `an override resolves a host to its addresses, and Host is unchanged`() async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        for (host, port) in [("Site.Example", origin.port), (nil, origin.port), (nil, nil)] {
            let client = client {
                $0.overrides = [
                    HTTPConnectOptions.AddressOverride(
                        host: "other.example",
                        port: nil,
                        addresses: []
                    ),
                    HTTPConnectOptions.AddressOverride(
                        host: host,
                        port: port,
                        addresses: [loopback]
                    ),
                ]
            }
            let url = "http://site.example:\(origin.port)/"
            #expect(try await client.send(HTTPRequest(url)).text == "hello")
        }
        #expect(origin.text().contains("Host: site.example:\(origin.port)\r\n"))
    }

    @Test(arguments: ["2001:db8::1", "[2001:DB8:0::1]", "2001:db8:0:0:0:0:0:1"])
    func `overrides and connectToRules apply to every spelling of an IPv6 address`(
        host: String
    ) async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let overridden = client {
            $0.overrides = [
                HTTPConnectOptions.AddressOverride(host: host, port: nil, addresses: [loopback])
            ]
        }
        let redirected = client {
            $0.connectToRules = [
                HTTPConnectOptions.ConnectToRule(fromHost: host, toHost: "127.0.0.1")
            ]
        }
        let both = client {
            $0.connectToRules = [
                HTTPConnectOptions.ConnectToRule(fromHost: "a.example", toHost: host)
            ]
            $0.overrides = [
                HTTPConnectOptions.AddressOverride(
                    host: "2001:db8::1",
                    port: nil,
                    addresses: [loopback]
                )
            ]
        }
        for (client, asked) in [
            (overridden, "[2001:db8::1]"), (redirected, "[2001:db8:0::1]"), (both, "a.example"),
        ] {
            let url = "http://\(asked):\(origin.port)/"
            #expect(try await client.send(HTTPRequest(url)).text == "hello")
        }
    }

    @Test func `an override without addresses fails to resolve`() async {
        let client = client {
            $0.overrides = [
                HTTPConnectOptions.AddressOverride(host: "localhost", port: nil, addresses: [])
            ]
        }
        let error = await failure { try await client.send("http://localhost:1/") }
        guard case .resolveFailed(host: "localhost", _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test func `a connect-to rule redirects host and port once, before overrides`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let rules = [
            HTTPConnectOptions.ConnectToRule(
                fromHost: "A.example",
                fromPort: 80,
                toHost: "b.example",
                toPort: origin.port
            ),
            HTTPConnectOptions.ConnectToRule(fromHost: "b.example", toHost: "c.example"),
        ]
        let client = client {
            $0.connectToRules = rules
            $0.overrides = [
                HTTPConnectOptions.AddressOverride(
                    host: "b.example",
                    port: origin.port,
                    addresses: [loopback]
                )
            ]
        }
        #expect(try await client.send("http://a.example/").text == "hello")
        #expect(origin.text().contains("Host: a.example\r\n"))
        let general = self.client {
            $0.connectToRules = [
                HTTPConnectOptions.ConnectToRule(toHost: "127.0.0.1", toPort: origin.port)
            ]
        }
        #expect(try await general.send("http://anything.example:9/").text == "hello")
    }

    @Test func `a missing address family fails to resolve`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let v4 = client { $0.addressFamily = .ipv4 }
        #expect(try await v4.send(HTTPRequest("http://localhost:\(origin.port)/")).text == "hello")
        let v6 = client { $0.addressFamily = .ipv6 }
        let error = await failure { try await v6.send(HTTPRequest(origin.url)) }
        guard case .resolveFailed(host: "127.0.0.1", _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    // MARK: - Failing addresses

    @Test func `every address is tried, and the error has the reason for each`() async throws {
        let refusing = try UnreachablePorts.refusing()
        let addresses = try ["127.0.0.1", "127.0.0.2", "255.255.255.255"].map(address)
        let client = client {
            $0.overrides = [
                HTTPConnectOptions.AddressOverride(host: nil, port: nil, addresses: addresses)
            ]
        }
        let error = await failure {
            try await client.send(HTTPRequest("http://a.example:\(refusing)/"))
        }
        guard case .connectFailed(let failures) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(failures.map(\.address) == addresses.map { "\($0):\(refusing)" })
        // Linux never routes TCP to the broadcast address.
        #expect(failures.map(\.errno) == [ECONNREFUSED, ECONNREFUSED, ENETUNREACH])
        #expect(error?.failedAddresses == failures)
        #expect(error?.description.contains("Connection refused") == true)
    }

    @Test func `failing and stalling addresses do not prevent a connection to a good one`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let stalled = try StalledPort(port: origin.port, host: 3)
        defer { withExtendedLifetime(stalled) {} }
        let addresses = try ["127.0.0.2", "127.0.0.3", "127.0.0.1"].map(address)
        let client = client {
            $0.overrides = [
                HTTPConnectOptions.AddressOverride(host: nil, port: nil, addresses: addresses)
            ]
        }
        let began = ContinuousClock.now
        let url = "http://a.example:\(origin.port)/"
        #expect(try await client.send(HTTPRequest(url)).text == "hello")
        // One attempt is refused at once, and one stalls for the 250 ms of RFC 8305.
        #expect(ContinuousClock.now - began > .milliseconds(240))
    }

    @Test func `the connect timeout applies to all addresses together`() async throws {
        let first = try StalledPort(host: 4)
        let second = try StalledPort(port: first.port, host: 5)
        defer { withExtendedLifetime((first, second)) {} }
        let addresses = try ["127.0.0.4", "127.0.0.5", "127.0.0.6"].map(address)
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.connect = .seconds(2)
        configuration.connectOptions.overrides = [
            HTTPConnectOptions.AddressOverride(host: nil, port: nil, addresses: addresses)
        ]
        let client = HTTPClient(configuration)
        let error = await failure {
            try await client.send(HTTPRequest("http://a.example:\(first.port)/"))
        }
        #expect(error?.kind == .timedOut(.connect))
        #expect(error?.failedAddresses.map(\.errno) == [ECONNREFUSED, ETIMEDOUT, ETIMEDOUT])
        #expect(error?.description.contains("127.0.0.5:\(first.port)") == true)
    }

    // MARK: - Policy

    @Test func `an address rejected by the policy is not connected to`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = client { $0.addressPolicy = .publicOnly }
        for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"] {
            let error = await failure {
                try await client.send(HTTPRequest("http://\(host):\(origin.port)/"))
            }
            guard case .addressesRefused(_, let refused) = error?.kind else {
                Issue.record("\(host): got \(String(describing: error))")
                continue
            }
            #expect(!refused.isEmpty)
            #expect(error?.phase == .connect)
            #expect(error?.blame == .caller)
            #expect(error?.description.contains("loopback") == true)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func `overrides and connectToRules cannot bypass the address policy`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = client {
            $0.addressPolicy = .publicOnly
            $0.connectToRules = [
                HTTPConnectOptions.ConnectToRule(fromHost: "a.example", toHost: "127.0.0.1")
            ]
            $0.overrides = [
                HTTPConnectOptions.AddressOverride(
                    host: "b.example",
                    port: nil,
                    addresses: [loopback]
                )
            ]
        }
        for host in ["a.example", "b.example"] {
            let error = await failure {
                try await client.send(HTTPRequest("http://\(host):\(origin.port)/"))
            }
            guard case .addressesRefused(host, let refused) = error?.kind else {
                Issue.record("got \(String(describing: error))")
                continue
            }
            #expect(refused.map(\.address) == [loopback])
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func `only accepted addresses are connected to, and the error lists the others`()
        async throws
    {
        let refusing = try UnreachablePorts.refusing()
        let denied = try address("127.0.0.2")
        let client = client {
            $0.addressPolicy.deny = [AddressRange(denied, prefixLength: 32)!]
            $0.overrides = [
                HTTPConnectOptions.AddressOverride(
                    host: nil,
                    port: nil,
                    addresses: [denied, loopback]
                )
            ]
        }
        let error = await failure {
            try await client.send(HTTPRequest("http://a.example:\(refusing)/"))
        }
        guard case .connectFailed(let failures) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(failures.map(\.errno) == [0, ECONNREFUSED])
        #expect(failures.first?.reason.contains("denied") == true)
    }

    /// A resolver under an attacker's control: its first answer is harmless, the later ones are not.
    private actor RebindingResolver: HTTPResolver {
        private var asked = 0
        let answers: [IPAddress]

        init(_ answers: [IPAddress]) {
            self.answers = answers
        }

        func addresses(of host: String) async throws -> [IPAddress] {
            defer { asked += 1 }
            return [answers[min(asked, answers.count - 1)]]
        }
    }

    @Test func `the address policy applies again when a host resolves to another address`()
        async throws
    {
        let origin = try ScriptedOrigin([.expectHead, .reply(hello), .close])
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.resolve = .seconds(60)
        configuration.dnsCache.positiveTTL = .zero
        configuration.connectOptions.addressPolicy = .any
        configuration.connectOptions.addressPolicy.deny = [try #require(AddressRange("127.0.0.2"))]
        configuration.resolver = RebindingResolver([loopback, try address("127.0.0.2")])
        // Forces the second call to resolve the name again.
        configuration.connectionReuse = .off
        let client = HTTPClient(configuration)
        let url = "http://rebound.example:\(origin.port)/"
        #expect(try await client.send(HTTPRequest(url)).text == "hello")
        let error = await failure { try await client.send(HTTPRequest(url, method: .post)) }
        guard case .addressesRefused = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test func `a connection opened under a lax policy is not used under a strict one`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        #expect(try await client.send(HTTPRequest(origin.url)).text == "hello")
        var strict = HTTPRequest(origin.url)
        strict.connectOptions = HTTPConnectOptions()
        strict.connectOptions?.addressPolicy = .publicOnly
        let error = await failure { try await client.send(strict) }
        guard case .addressesRefused = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(try await client.send(HTTPRequest(origin.url)).metrics.isReused)
    }

    @Test func `requests with equal connect options share connections`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        var reused: [Bool] = []
        for number in 0..<4 {
            var request = HTTPRequest(origin.url)
            var connectOptions = HTTPConnectOptions()
            connectOptions.overrides = [
                HTTPConnectOptions.AddressOverride(
                    host: "x\(number % 2).example",
                    port: nil,
                    addresses: [loopback]
                )
            ]
            request.connectOptions = connectOptions
            reused.append(try await client.send(request).metrics.isReused)
        }
        #expect(reused == [false, false, true, true])
        // Settings equal to the client's count as the client's settings.
        var plain = HTTPRequest(origin.url)
        #expect(try await !client.send(plain).metrics.isReused)
        plain.connectOptions = HTTPConnectOptions()
        #expect(try await client.send(plain).metrics.isReused)
    }

    // MARK: - Resolver

    private struct FailingResolver: HTTPResolver {
        struct Broken: Error {}

        func addresses(of host: String) async throws -> [IPAddress] {
            if host == "none.example" { return [] }
            throw Broken()
        }
    }

    @Test(arguments: ["none.example", "broken.example"])
    func `a resolver that fails or finds nothing gives a resolve error`(host: String) async {
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.resolve = .seconds(60)
        configuration.resolver = FailingResolver()
        let client = HTTPClient(configuration)
        let error = await failure { try await client.send(HTTPRequest("http://\(host)/")) }
        guard case .resolveFailed(host, let reason) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(reason.contains(host == "none.example" ? "no address" : "Broken"))
        #expect(error?.phase == .resolve)
    }

    private actor CountingResolver: HTTPResolver {
        private(set) var hosts: [String] = []
        let address: IPAddress
        /// Each lookup waits until this stream ends.
        let delay: AsyncStream<Void>?

        init(_ address: IPAddress, delay: AsyncStream<Void>? = nil) {
            self.address = address
            self.delay = delay
        }

        func addresses(of host: String) async throws -> [IPAddress] {
            hosts.append(host)
            if let delay { for await _ in delay {} }
            return [address]
        }
    }

    @Test func `simultaneous callers share one lookup, including blocking callers`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let (delay, lookup) = AsyncStream.makeStream(of: Void.self)
        let resolver = CountingResolver(loopback, delay: delay)
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.resolve = .seconds(60)
        configuration.resolver = resolver
        let client = HTTPClient(configuration)
        let url = "http://Many.example:\(origin.port)/"
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<6 { group.addTask { try? await client.send(HTTPRequest(url)).text } }
            while await client.pool.snapshot().connecting < 6 { await moment() }
            lookup.finish()
            for await text in group { #expect(text == "hello") }
        }
        let text = await onThread { try? client.blocking.send(HTTPRequest(url)).text }
        #expect(text == "hello")
        #expect(await resolver.hosts == ["many.example"])
    }

    @Test func `a host is looked up again after all its addresses failed`() async throws {
        let refusing = try UnreachablePorts.refusing()
        let resolver = CountingResolver(loopback)
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.resolve = .seconds(60)
        configuration.resolver = resolver
        let client = HTTPClient(configuration)
        for _ in 0..<2 {
            _ = await failure {
                try await client.send(HTTPRequest("http://a.example:\(refusing)/"))
            }
        }
        #expect(await resolver.hosts.count == 2)
    }

    // MARK: - Unix domain sockets

    @Test(arguments: [false, true])
    func `a Unix domain socket is connected to, regardless of the host`(
        isAbstract: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/s"
        let origin = try ScriptedOrigin(unix: isAbstract ? "\0" + path : path, .always(hello))
        let client = client {
            $0.unixSocket = isAbstract ? .abstract(path) : .path(path)
            // No name is resolved, and the address policy does not apply.
            $0.addressPolicy = .only([])
        }
        for _ in 0..<2 {
            let response = try await client.send("http://no-such-host.invalid/x")
            #expect(response.text == "hello")
            #expect(response.metrics.remoteAddress == nil)
        }
        #expect(origin.connectionCount == 1)
        #expect(origin.text().contains("Host: no-such-host.invalid\r\n"))
        let blocking = await onThread {
            try? client.blocking.send("http://no-such-host.invalid/x").text
        }
        #expect(blocking == "hello")
    }

    @Test func `a missing Unix domain socket fails with its path`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/missing"
        let client = client { $0.unixSocket = .path(path) }
        let error = await failure { try await client.send("http://localhost/") }
        guard case .connectFailed(let failures) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(failures.map(\.address) == ["unix:\(path)"])
        #expect(failures.map(\.errno) == [ENOENT])
    }

    @Test(
        arguments: [
            (String(repeating: "p", count: 108), .tooLong(bytes: 108)), ("", .empty),
            ("/a\0b", .containsNUL),
        ] as [(String, UnixSocket.PathError)]
    )
    func `a socket path that is too long or invalid is rejected`(
        path: String,
        reason: UnixSocket.PathError
    ) async throws {
        let client = client { $0.unixSocket = .path(path) }
        let error = await failure { try await client.send("http://localhost/") }
        #expect(error?.kind == .invalidRequest(.unixSocket(reason)))
        var request: HTTPRequest = "http://localhost/"
        request.connectOptions = HTTPConnectOptions()
        request.connectOptions?.unixSocket = .abstract(path)
        let own = await failure { try await HTTPClient().send(request) }
        #expect(own?.kind == .invalidRequest(.unixSocket(reason)))
    }

    @Test func `a Unix domain socket with a full queue is waited for until the timeout`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/s"
        let stalled = try StalledUnixSocket(path)
        defer { withExtendedLifetime(stalled) {} }
        var configuration = HTTPClient.Configuration()
        configuration.connectOptions.unixSocket = .path(path)
        configuration.timeouts.connect = .milliseconds(50)
        let client = HTTPClient(configuration)
        let error = await failure { try await client.send("http://localhost/") }
        #expect(error?.kind == .timedOut(.connect))
        #expect(error?.failedAddresses.map(\.errno) == [EAGAIN])
    }

    // MARK: - Local address

    @Test func `connections use the configured local address`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let local = try address("127.0.0.9")
        let client = client { $0.localBinding = .address(local) }
        let metrics = try await client.send(HTTPRequest(origin.url)).metrics
        #expect(metrics.localAddress == "127.0.0.9")
    }

    @Test func `connections use the configured interface`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = client { $0.localBinding = .interface("lo") }
        #expect(try await client.send(HTTPRequest(origin.url)).text == "hello")
    }

    @Test(
        arguments: [
            (.address(IPAddress("192.0.2.1")!), "192.0.2.1"), (.device("no-such-if"), "no-such-if"),
            (.interface("no-such-if"), "no-such-if"), (.interface(""), ""),
            (.device("a-name-that-is-too-long"), "a-name-that-is-too-long"),
            (.address(IPAddress("::1")!), "::1"),
        ] as [(HTTPConnectOptions.LocalBinding, String)]
    )
    func `an unusable local address or interface fails with bindFailed`(
        binding: HTTPConnectOptions.LocalBinding,
        name: String
    ) async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = client { $0.localBinding = binding }
        let error = await failure { try await client.send(HTTPRequest(origin.url)) }
        guard case .bindFailed(local: name, _) = error?.kind else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(error?.blame == .machine)
        #expect(origin.connectionCount == 0)
    }

    @Test func `keep-alive and the user timeout are set on the socket`() async throws {
        let origin = try ScriptedOrigin(.always(hello))
        let client = client {
            $0.keepAlive = .init(idle: .seconds(77), interval: .seconds(1 << 40), count: 5)
            $0.userTimeout = .milliseconds(4321)
        }
        _ = try await client.send(HTTPRequest(origin.url))
        func option(_ name: Int32, _ level: Int32) -> Int32? {
            DescriptorCount.option(name, level: level, toPort: origin.port)
        }
        let tcp = Int32(IPPROTO_TCP)
        #expect(option(SO_KEEPALIVE, SOL_SOCKET) == 1)
        #expect(option(TCP_KEEPIDLE, tcp) == 77)
        #expect(option(TCP_KEEPINTVL, tcp) == 32_767)
        #expect(option(TCP_KEEPCNT, tcp) == 5)
        #expect(option(TCP_USER_TIMEOUT, tcp) == 4321)
        #expect(option(TCP_NODELAY, tcp) == 1)
    }

    @Test func `default socket options are TCP_NODELAY, close-on-exec and no keep-alive`()
        async throws
    {
        let origin = try ScriptedOrigin(.always(hello))
        let client = HTTPClient()
        _ = try await client.send(HTTPRequest(origin.url))
        let port = origin.port
        #expect(DescriptorCount.option(TCP_NODELAY, level: Int32(IPPROTO_TCP), toPort: port) == 1)
        #expect(DescriptorCount.option(SO_KEEPALIVE, level: SOL_SOCKET, toPort: port) == 0)
        #expect(DescriptorCount.connected(toPort: port) == 1)
        #expect(DescriptorCount.inherited(toPort: port) == 0)
    }
}
