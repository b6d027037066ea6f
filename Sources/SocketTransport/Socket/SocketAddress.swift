package import Glibc

/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address family and the address in network byte order.
    package enum Host: Sendable, Hashable {
        case v4(InlineBytes4)
        case v6(InlineBytes16, scope: UInt32)

        /// Creates an IPv4 address from its number: 127.0.0.1 is 0x7f000001.
        package init(v4 number: UInt32) {
            self = .v4(InlineBytes4(number.bigEndian))
        }

        /// Creates an IPv6 address from its number: ::1 is 1.
        package init(v6 number: UInt128, scope: UInt32 = 0) {
            self = .v6(InlineBytes16(number), scope: scope)
        }

        package var isIPv6: Bool {
            if case .v6 = self { true } else { false }
        }

        /// The address as a number, most significant byte first; an IPv4 address has 32 bits.
        package var number: UInt128 {
            switch self {
            case .v4(let bytes): UInt128(UInt32(bigEndian: bytes.networkOrder))
            case .v6(let bytes, _): bytes.number
            }
        }

        /// Whether the address is in 169.254.0.0/16 or fe80::/10.
        package var isLinkLocal: Bool {
            isIPv6 ? number >> 118 == 0x3fa : number >> 16 == 0xa9fe
        }
    }

    package let host: Host
    /// The port in host byte order.
    package let port: UInt16

    package init(host: Host, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses a numeric address: dotted decimal, or RFC 4291 text with an optional `%scope` number.
    ///
    /// - Returns: nil if `literal` is a name and not an address. Octal and shortened IPv4 forms
    ///   count as names, because parsers disagree about their meaning.
    package init?(literal: String, port: UInt16) {
        if literal.utf8.contains(UInt8(ascii: ":")) {
            let parts = literal.split(
                separator: "%",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard let text = parts.first else { return nil }
            var scope: UInt32 = 0
            if parts.count == 2 {
                guard let number = UInt32(parts[1]), parts[1].first != "+" else { return nil }
                scope = number
            }
            var raw = in6_addr()
            guard unsafe inet_pton(AF_INET6, String(text), &raw) == 1 else { return nil }
            self.init(host: .v6(InlineBytes16(raw), scope: scope), port: port)
        } else {
            var raw = in_addr()
            guard unsafe inet_pton(AF_INET, literal, &raw) == 1 else { return nil }
            self.init(host: .v4(InlineBytes4(raw.s_addr)), port: port)
        }
    }

    package var isIPv6: Bool { host.isIPv6 }

    /// The address without the port, such as `127.0.0.1` or `::1`.
    package var literal: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) {
            text in
            // SAFETY: `text` has INET6_ADDRSTRLEN bytes, the maximum that inet_ntop writes.
            switch host {
            case .v4(let bytes):
                var raw = in_addr(s_addr: bytes.networkOrder)
                unsafe inet_ntop(AF_INET, &raw, text.baseAddress, socklen_t(text.count))
            case .v6(let bytes, _):
                var raw = bytes.in6
                unsafe inet_ntop(AF_INET6, &raw, text.baseAddress, socklen_t(text.count))
            }
            guard let start = text.baseAddress else { return "" }
            return unsafe String(cString: start)
        }
    }

    /// The address with the port, such as `127.0.0.1:80` or `[::1]:80`.
    package var description: String {
        isIPv6 ? "[\(literal)]:\(port)" : "\(literal):\(port)"
    }
}

/// Four bytes in network order, hashable as one integer.
package struct InlineBytes4: Sendable, Hashable {
    let networkOrder: UInt32

    init(_ networkOrder: UInt32) {
        self.networkOrder = networkOrder
    }
}

/// Sixteen bytes as the two halves of their number, hashable as two integers.
package struct InlineBytes16: Sendable, Hashable {
    let high: UInt64
    let low: UInt64

    init(_ raw: in6_addr) {
        let words = unsafe raw.__in6_u.__u6_addr32
        high = UInt64(UInt32(bigEndian: words.0)) << 32 | UInt64(UInt32(bigEndian: words.1))
        low = UInt64(UInt32(bigEndian: words.2)) << 32 | UInt64(UInt32(bigEndian: words.3))
    }

    init(_ number: UInt128) {
        high = UInt64(truncatingIfNeeded: number >> 64)
        low = UInt64(truncatingIfNeeded: number)
    }

    var number: UInt128 { UInt128(high) << 64 | UInt128(low) }

    var in6: in6_addr {
        var raw = in6_addr()
        unsafe raw.__in6_u.__u6_addr32 = (
            UInt32(truncatingIfNeeded: high >> 32).bigEndian,
            UInt32(truncatingIfNeeded: high).bigEndian,
            UInt32(truncatingIfNeeded: low >> 32).bigEndian,
            UInt32(truncatingIfNeeded: low).bigEndian
        )
        return raw
    }
}

extension SocketAddress {
    /// Copies an address that the kernel or getaddrinfo filled in.
    ///
    /// - Returns: nil for families other than IPv4 and IPv6.
    package init?(_ storage: sockaddr_storage) {
        var copy = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            let raw = unsafe withUnsafeBytes(of: &copy) { unsafe $0.load(as: sockaddr_in.self) }
            self.init(
                host: .v4(InlineBytes4(raw.sin_addr.s_addr)),
                port: UInt16(bigEndian: raw.sin_port)
            )
        case AF_INET6:
            let raw = unsafe withUnsafeBytes(of: &copy) { unsafe $0.load(as: sockaddr_in6.self) }
            self.init(
                host: .v6(InlineBytes16(raw.sin6_addr), scope: raw.sin6_scope_id),
                port: UInt16(bigEndian: raw.sin6_port)
            )
        default:
            return nil
        }
    }

    /// The form for bind(2) and connect(2), with its length.
    package var storage: (storage: sockaddr_storage, length: socklen_t) {
        var result = sockaddr_storage()
        switch host {
        case .v4(let bytes):
            var raw = sockaddr_in()
            raw.sin_family = sa_family_t(AF_INET)
            raw.sin_port = port.bigEndian
            raw.sin_addr = in_addr(s_addr: bytes.networkOrder)
            unsafe withUnsafeMutableBytes(of: &result) {
                unsafe $0.storeBytes(of: raw, as: sockaddr_in.self)
            }
            return (result, socklen_t(MemoryLayout<sockaddr_in>.size))
        case .v6(let bytes, let scope):
            var raw = sockaddr_in6()
            raw.sin6_family = sa_family_t(AF_INET6)
            raw.sin6_port = port.bigEndian
            raw.sin6_addr = bytes.in6
            raw.sin6_scope_id = scope
            unsafe withUnsafeMutableBytes(of: &result) {
                unsafe $0.storeBytes(of: raw, as: sockaddr_in6.self)
            }
            return (result, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
    }
}

extension SocketAddress {
    /// The address in network byte order: four bytes or sixteen.
    package var bytes: [UInt8] {
        // Both forms of sockaddr begin with family and port; the IPv6 form also has flow
        // information before the address.
        let place = isIPv6 ? 8..<24 : 4..<8
        // SAFETY: a sockaddr_storage is longer than either form, and the bytes are copied at once.
        return unsafe withUnsafeBytes(of: storage.storage) { unsafe Array($0[place]) }
    }
}

/// The address of a Unix domain socket: a path, or an abstract name (unix(7)).
package struct UnixAddress: Sendable, Hashable {
    /// The maximum length in bytes: 108, less one for a NUL.
    ///
    /// The NUL ends a path or begins an abstract name.
    package static let maxLength = 107

    private let pathBytes: [UInt8]
    private let isAbstract: Bool

    /// Creates an address from a path.
    ///
    /// The result is nil if the path is empty, longer than ``maxLength`` or contains a NUL.
    package init?(path: String) {
        self.init(path, isAbstract: false)
    }

    /// Creates an address from an abstract name, without its leading NUL; nil as for a path.
    package init?(abstract name: String) {
        self.init(name, isAbstract: true)
    }

    private init?(_ text: String, isAbstract: Bool) {
        let pathBytes = Array(text.utf8)
        // A NUL would end the path early and name another socket.
        guard !pathBytes.isEmpty, pathBytes.count <= Self.maxLength, !pathBytes.contains(0) else {
            return nil
        }
        self.pathBytes = pathBytes
        self.isAbstract = isAbstract
    }

    /// The form for bind(2) and connect(2), with its length.
    package var storage: (storage: sockaddr_storage, length: socklen_t) {
        var result = sockaddr_storage()
        result.ss_family = sa_family_t(AF_UNIX)
        let offset = MemoryLayout<sa_family_t>.size
        let start = isAbstract ? offset + 1 : offset
        // SAFETY: the family and 108 bytes fit into a sockaddr_storage; `pathBytes` has fewer.
        unsafe withUnsafeMutableBytes(of: &result) { bytes in
            for (index, byte) in pathBytes.enumerated() { unsafe bytes[start + index] = byte }
        }
        return (result, socklen_t(offset + pathBytes.count + 1))
    }
}
