internal import SocketTransport
internal import Wire

extension HTTPProxy {
    /// A list of origins to which the client connects directly, in the syntax of NO_PROXY.
    ///
    ///     let exceptions: HTTPProxy.Exceptions = "localhost, .corp.example, 10.0.0.0/8, example.com:8080"
    ///
    /// Elements are separated by commas or spaces. ASCII case and a trailing dot do not matter.
    ///
    /// | element | hosts that it matches |
    /// |---|---|
    /// | `*` | every host |
    /// | `example.com`, `.example.com`, `*.example.com` | that host and all below it, but not `notexample.com` |
    /// | `192.0.2.1`, `2001:db8::1`, `[2001:db8::1]` | a host written as this address, in any spelling |
    /// | `192.0.2.0/24`, `2001:db8::/32` | hosts written as an address of this network |
    /// | any of these with `:8080` | the same, on this port only; an IPv6 address then needs brackets |
    ///
    /// Names are not resolved, so addresses and networks match only URLs that contain an address. An
    /// IPv4 address mapped into IPv6 counts as the IPv4 address. An invalid element, such as a network
    /// with too long a prefix, matches nothing.
    public struct Exceptions: Sendable, Hashable {
        private var elements: [Element] = []

        private struct Element: Sendable, Hashable {
            let hosts: Hosts
            /// The port; nil for every port.
            let port: Int?
        }

        private enum Hosts: Sendable, Hashable {
            case all
            /// A name in lower case, without dots at either end.
            case domain([UInt8])
            /// The first `bits` bits of an address.
            case network([UInt8], bits: Int)
        }

        /// Parses a list; empty text matches nothing.
        public init(_ list: String) {
            let isSeparator = { (byte: UInt8) in byte == 0x2C || byte == 0x20 || byte == 0x09 }
            for item in list.utf8.split(whereSeparator: isSeparator) {
                if let element = Self.element(item.lowercasedASCII) { elements.append(element) }
            }
        }

        /// Whether the list is empty.
        public var isEmpty: Bool { elements.isEmpty }

        /// Returns whether the list contains an origin, so that the client connects directly.
        public func contains(_ origin: Origin) -> Bool {
            guard !elements.isEmpty else { return false }
            let name = Self.withoutDots(origin.host.utf8.lowercasedASCII[...], leading: false)
            let address = Self.address(name)
            return elements.contains { element in
                guard element.port == nil || element.port == origin.port else { return false }
                switch element.hosts {
                case .all: return true
                case .domain(let domain): return address == nil && Self.isName(name, within: domain)
                case .network(let network, let bits):
                    return address.map { Self.isAddress($0, within: network, bits) } ?? false
                }
            }
        }

        // MARK: - Matching

        private static func isName(_ name: [UInt8], within domain: [UInt8]) -> Bool {
            guard name.count > domain.count else { return name == domain }
            return name.suffix(domain.count) == domain[...]
                && name[name.count - domain.count - 1] == UInt8(ascii: ".")
        }

        private static func isAddress(
            _ address: [UInt8],
            within network: [UInt8],
            _ bits: Int
        ) -> Bool {
            guard address.count == network.count else { return false }
            let whole = bits / 8
            guard address.prefix(whole) == network.prefix(whole) else { return false }
            let mask = ~(UInt8(0xFF) >> UInt8(bits % 8))
            return bits % 8 == 0 || address[whole] & mask == network[whole] & mask
        }

        // MARK: - Parsing

        private static func element(_ text: [UInt8]) -> Element? {
            if let hosts = hosts(text) { return Element(hosts: hosts, port: nil) }
            guard let colon = text.lastIndex(of: UInt8(ascii: ":")),
                let port = number(text[(colon + 1)...]), port <= 65_535,
                let hosts = hosts(Array(text[..<colon]))
            else { return nil }
            // In `a:b:1` the port cannot be distinguished from the address.
            let isBare = text[..<colon].contains(UInt8(ascii: ":")) && text[0] != UInt8(ascii: "[")
            return isBare ? nil : Element(hosts: hosts, port: port)
        }

        /// Parses an element without a port; returns nil when it has one or is invalid.
        private static func hosts(_ text: [UInt8]) -> Hosts? {
            if text == [UInt8(ascii: "*")] { return .all }
            if let slash = text.firstIndex(of: UInt8(ascii: "/")) {
                guard let network = address(Array(text[..<slash])),
                    let bits = number(text[(slash + 1)...])
                else { return nil }
                // The prefix of a mapped network counts from the beginning of the IPv6 address.
                let isMapped = network.count == 4 && text[..<slash].contains(UInt8(ascii: ":"))
                let own = isMapped ? bits - 96 : bits
                return (0...network.count * 8).contains(own) ? .network(network, bits: own) : nil
            }
            if let address = address(text) { return .network(address, bits: address.count * 8) }
            guard !text.contains(UInt8(ascii: ":")) else { return nil }
            let star = text.starts(with: "*.".utf8) ? 1 : 0
            let name = withoutDots(text[star...], leading: true)
            guard !name.isEmpty else { return nil }
            let canonical = Array(CanonicalHost.text(String(decoding: name, as: UTF8.self)).utf8)
            return address(canonical).map { .network($0, bits: $0.count * 8) } ?? .domain(canonical)
        }

        /// Parses a numeric address, with or without brackets; returns four or sixteen bytes.
        private static func address(_ text: [UInt8]) -> [UInt8]? {
            guard let address = IPAddress(String(decoding: text, as: UTF8.self)) else { return nil }
            return (address.mapped ?? address).bytes
        }

        /// Parses one to five digits; returns nil for anything else.
        private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
            guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        private static func withoutDots(_ name: ArraySlice<UInt8>, leading: Bool) -> [UInt8] {
            var name = name
            if leading, name.first == UInt8(ascii: ".") { name.removeFirst() }
            if name.last == UInt8(ascii: ".") { name.removeLast() }
            return Array(name)
        }
    }
}

extension HTTPProxy.Exceptions: ExpressibleByStringLiteral {
    /// Parses a list.
    public init(stringLiteral list: String) {
        self.init(list)
    }
}
