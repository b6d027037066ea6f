import ClientSupport
import HTTPClient
import Testing

@Suite struct SOCKS5HandshakeTests {
    private static let name = SOCKS5Handshake.Destination.name("example.com")
    private static let ada = HTTPCredentials(user: "ada", password: "pw")
    private static let asked: [UInt8] =
        [5, 1, 0, 3, 11] + Array("example.com".utf8) + [0x01, 0xBB]
    private static let login: [UInt8] = [1, 3] + Array("ada".utf8) + [2] + Array("pw".utf8)

    private func handshake(
        _ destination: SOCKS5Handshake.Destination = name,
        _ credentials: HTTPCredentials? = nil
    ) throws -> SOCKS5Handshake {
        try SOCKS5Handshake(to: destination, port: 443, credentials: credentials)
    }

    /// Feeds the bytes in pieces of `step` bytes; returns the bytes sent and the bytes left.
    private func run(
        _ machine: inout SOCKS5Handshake,
        _ input: [UInt8],
        step: Int
    ) throws -> (sent: [[UInt8]], unread: [UInt8], opened: Bool) {
        var sent = [machine.begin()]
        var (held, rest) = ([UInt8](), input[...])
        while true {
            let result = try machine.receive(held.span)
            held.removeFirst(result.consumed)
            switch result.event {
            case .opened: return (sent, held + rest, true)
            case .send(let bytes): sent.append(bytes)
            case .needMore:
                guard !rest.isEmpty else { return (sent, held, false) }
                held += rest.prefix(step)
                rest = rest.dropFirst(step)
            }
        }
    }

    @Test(
        arguments: [
            (name, nil, [5, 0, 5, 0, 0, 1, 1, 2, 3, 4, 5, 6], [[5, 1, 0], asked]),
            // A proxy that requires no password although credentials are offered.
            (name, ada, [5, 0, 5, 0, 0, 1, 1, 2, 3, 4, 5, 6], [[5, 2, 0, 2], asked]),
            (
                name, ada, [5, 2, 1, 0, 5, 0, 0, 1, 1, 2, 3, 4, 5, 6],
                [[5, 2, 0, 2], login, asked]
            ),
            // Replies whose bound address is a name, empty, or an IPv6 address.
            (name, nil, [5, 0, 5, 0, 0, 3, 2, 65, 66, 0, 1], [[5, 1, 0], asked]),
            (name, nil, [5, 0, 5, 0, 0, 3, 0, 0, 1], [[5, 1, 0], asked]),
            (name, nil, [5, 0, 5, 0, 0, 4] + Array(repeating: 9, count: 18), [[5, 1, 0], asked]),
            (
                .address([192, 0, 2, 1]), nil, [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0],
                [[5, 1, 0], [5, 1, 0, 1, 192, 0, 2, 1, 1, 0xBB]]
            ),
            (
                .address(Array(0..<16)), nil, [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0],
                [[5, 1, 0], [5, 1, 0, 4] + Array(0..<16) + [1, 0xBB]]
            ),
        ] as [(SOCKS5Handshake.Destination, HTTPCredentials?, [UInt8], [[UInt8]])]
    )
    func `a connection is opened for every division of the proxy's reply`(
        destination: SOCKS5Handshake.Destination,
        credentials: HTTPCredentials?,
        answer: [UInt8],
        sent: [[UInt8]]
    ) throws {
        for step in 1...answer.count + 3 {
            var machine = try handshake(destination, credentials)
            // The origin sends first: its bytes follow the proxy's reply.
            let result = try run(&machine, answer + [7, 8, 9], step: step)
            #expect(result.opened)
            #expect(result.sent == sent)
            #expect(result.unread == [7, 8, 9])
        }
    }

    @Test(
        arguments: [
            ([72], .notSOCKS(firstByte: 72)), ([4, 0], .notSOCKS(firstByte: 4)),
            ([0], .notSOCKS(firstByte: 0)),
            ([5, 0xFF], .noAcceptableMethod), ([5, 2], .noAcceptableMethod),
            ([5, 1], .methodNotOffered(1)),
            ([5, 0, 5, 1], .refused(.generalFailure)), ([5, 0, 5, 2], .refused(.notAllowed)),
            ([5, 0, 5, 5, 0, 1, 0, 0, 0, 0, 0, 0], .refused(.connectionRefused)),
            ([5, 0, 5, 99], .refused(HTTPError.SOCKS5Error.Reply(rawValue: 99))),
            ([5, 0, 1], .notSOCKS(firstByte: 1)),
            ([5, 0, 5, 0, 0, 2, 0], .unknownAddressType(2)),
            ([5, 0, 5, 0, 0, 0, 0], .unknownAddressType(0)),
        ] as [([UInt8], HTTPError.SOCKS5Error)]
    )
    func `a failure is reported as soon as its bytes arrive`(
        answer: [UInt8],
        failure: HTTPError.SOCKS5Error
    ) throws {
        for step in 1...answer.count {
            var machine = try handshake()
            #expect(throws: failure) { try run(&machine, answer, step: step) }
        }
    }

    @Test(arguments: [([5, 2, 1, 1], 1), ([5, 2, 5, 0xFF], 0xFF)] as [([UInt8], UInt8)])
    func `rejected credentials have their own error`(answer: [UInt8], status: UInt8) throws {
        var machine = try handshake(Self.name, Self.ada)
        #expect(throws: HTTPError.SOCKS5Error.credentialsRejected(status: status)) {
            try run(&machine, answer, step: 1)
        }
    }

    @Test func `a truncated reply waits for more bytes at every length`() throws {
        let answer: [UInt8] = [5, 2, 1, 0, 5, 0, 0, 3, 2, 65, 66, 0, 1]
        for count in 0..<answer.count {
            var machine = try handshake(Self.name, Self.ada)
            #expect(try !run(&machine, Array(answer.prefix(count)), step: 1).opened)
        }
    }

    @Test(
        arguments: [
            (String(repeating: "a", count: 255), 1, 255, nil),
            (String(repeating: "a", count: 256), 1, 1, .invalidHostName),
            ("", 1, 1, .invalidHostName),
            ("a", 256, 1, .invalidCredentials), ("a", 1, 256, .invalidCredentials),
            ("a", 0, 1, .invalidCredentials), ("a", 255, 0, nil),
        ] as [(String, Int, Int, HTTPError.SOCKS5Error?)]
    )
    func `a length beyond one byte is rejected before anything is sent`(
        name: String,
        user: Int,
        password: Int,
        failure: HTTPError.SOCKS5Error?
    ) {
        let credentials = HTTPCredentials(
            user: [UInt8](repeating: 1, count: user),
            password: [UInt8](repeating: 2, count: password)
        )
        var seen: HTTPError.SOCKS5Error?
        do {
            _ = try handshake(.name(name), credentials)
        } catch {
            seen = error as? HTTPError.SOCKS5Error
        }
        #expect(seen == failure)
    }
}
