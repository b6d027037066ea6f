/// A SOCKS5 handshake for a connection to an origin: RFC 1928 with passwords by RFC 1929.
///
///     greeting ──▶ method ──▶ [credentials ──▶ status] ──▶ request ──▶ reply
///
/// The handshake performs no I/O: ``begin()`` returns the bytes to send first, and ``receive(_:)``
/// returns the next action. The handshake stores no input. Pass unconsumed bytes again, with newly
/// received ones, until a step consumes them. It never needs more than 262 bytes at once. It consumes
/// nothing after the proxy's reply: those bytes belong to the origin.
package struct SOCKS5Handshake: Sendable {
    /// The host of the origin.
    package enum Destination: Sendable, Hashable {
        /// A name, which the proxy resolves.
        case name(String)
        /// An address: four bytes or sixteen.
        case address([UInt8])
    }

    /// The result of one call of ``SOCKS5Handshake/receive(_:)``.
    package struct Step: Sendable, Hashable {
        /// The number of bytes consumed at the front of the input.
        package let consumed: Int
        /// The next action.
        package let event: Event
    }

    /// The next action of the caller.
    package enum Event: Sendable, Hashable {
        /// Wait for more bytes.
        case needMore
        /// Send these, then wait for bytes.
        case send([UInt8])
        /// The connection is open; later bytes are exchanged between origin and client.
        case opened
    }

    private enum State: Sendable {
        /// Next states: status, reply.
        case method
        /// Next state: reply.
        case status
        /// Next state: opened.
        case reply
        case opened
    }

    private enum Method {
        static let none: UInt8 = 0
        static let password: UInt8 = 2
        static let noneAcceptable: UInt8 = 0xFF
    }

    private enum AddressType {
        static let v4: UInt8 = 1
        static let name: UInt8 = 3
        static let v6: UInt8 = 4
    }

    private static let version: UInt8 = 5
    /// Every length is one byte on the wire.
    private static let maxFieldLength = 255

    private let request: [UInt8]
    private let login: [UInt8]?
    private var state = State.method

    /// Prepares the handshake.
    ///
    /// - Parameters:
    ///   - destination: the origin's host.
    ///   - port: the origin's port.
    ///   - credentials: the credentials to offer, if any; a proxy that requires none is accepted.
    /// - Throws: `.invalidHostName`, `.invalidCredentials`.
    package init(
        to destination: Destination,
        port: UInt16,
        credentials: HTTPCredentials?
    ) throws(HTTPError.SOCKS5Error) {
        var request: [UInt8] = [Self.version, 1, 0]
        switch destination {
        case .name(let name):
            guard (1...Self.maxFieldLength).contains(name.utf8.count) else {
                throw .invalidHostName
            }
            request += [AddressType.name, UInt8(name.utf8.count)] + name.utf8
        case .address(let bytes):
            guard bytes.count == 4 || bytes.count == 16 else { throw .invalidHostName }
            request += [bytes.count == 4 ? AddressType.v4 : AddressType.v6] + bytes
        }
        self.request = request + [UInt8(port >> 8), UInt8(port & 0xFF)]
        guard let credentials else {
            login = nil
            return
        }
        let (user, password) = (credentials.user, credentials.password)
        // RFC 1929 requires at least one byte of each, but empty passwords are in use.
        guard (1...Self.maxFieldLength).contains(user.count), password.count <= Self.maxFieldLength
        else {
            throw .invalidCredentials
        }
        login = [1, UInt8(user.count)] + user + [UInt8(password.count)] + password
    }

    /// Returns the bytes to send first.
    package func begin() -> [UInt8] {
        login == nil
            ? [Self.version, 1, Method.none] : [Self.version, 2, Method.none, Method.password]
    }

    /// Parses input up to the next action.
    ///
    /// - Parameter input: the bytes not consumed so far, and those received since.
    /// - Returns: the number of consumed bytes, and the next action.
    /// - Throws: the reason of the failure, as soon as the bytes show it, even if more should follow. The
    ///   connection cannot be used afterwards.
    package mutating func receive(_ input: Span<UInt8>) throws(HTTPError.SOCKS5Error) -> Step {
        switch state {
        case .method: try receiveMethod(input)
        case .status: try receiveStatus(input)
        case .reply: try receiveReply(input)
        case .opened: Step(consumed: 0, event: .opened)
        }
    }

    private mutating func receiveMethod(_ input: Span<UInt8>) throws(HTTPError.SOCKS5Error) -> Step
    {
        guard try isComplete(input, 2) else { return Step(consumed: 0, event: .needMore) }
        switch (input[1], login) {
        case (Method.none, _):
            state = .reply
            return Step(consumed: 2, event: .send(request))
        case (Method.password, let login?):
            state = .status
            return Step(consumed: 2, event: .send(login))
        case (Method.noneAcceptable, _): throw .noAcceptableMethod
        // The proxy requires a password, but none was offered.
        case (Method.password, nil): throw .noAcceptableMethod
        default: throw .methodNotOffered(input[1])
        }
    }

    private mutating func receiveStatus(_ input: Span<UInt8>) throws(HTTPError.SOCKS5Error) -> Step
    {
        // The version of the sub-negotiation is 1, but some proxies answer 5, so only the status is
        // checked.
        guard input.count >= 2 else { return Step(consumed: 0, event: .needMore) }
        guard input[1] == 0 else { throw .credentialsRejected(status: input[1]) }
        state = .reply
        return Step(consumed: 2, event: .send(request))
    }

    private mutating func receiveReply(_ input: Span<UInt8>) throws(HTTPError.SOCKS5Error) -> Step {
        // A proxy that refuses may close before the rest of the reply.
        guard try isComplete(input, 2) else { return Step(consumed: 0, event: .needMore) }
        guard input[1] == 0 else { throw .refused(HTTPError.SOCKS5Error.Reply(rawValue: input[1])) }
        guard input.count >= 5 else { return Step(consumed: 0, event: .needMore) }
        let length: Int
        switch input[3] {
        case AddressType.v4: length = 4 + 4 + 2
        case AddressType.v6: length = 4 + 16 + 2
        case AddressType.name: length = 4 + 1 + Int(input[4]) + 2
        default: throw .unknownAddressType(input[3])
        }
        guard input.count >= length else { return Step(consumed: 0, event: .needMore) }
        state = .opened
        return Step(consumed: length, event: .opened)
    }

    /// Returns whether `count` bytes have arrived; throws when the first is not the version.
    private func isComplete(
        _ input: Span<UInt8>,
        _ count: Int
    ) throws(HTTPError.SOCKS5Error) -> Bool {
        guard !input.isEmpty else { return false }
        guard input[0] == Self.version else { throw .notSOCKS(firstByte: input[0]) }
        return input.count >= count
    }
}
