package import Glibc

/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    package let host: IPAddress
    /// The port in host byte order.
    package let port: UInt16

    package init(host: IPAddress, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Creates an address from numeric text without brackets; nil if it is not an address.
    package init?(literal: String, port: UInt16) {
        guard let host = IPAddress(literal: literal) else { return nil }
        self.init(host: host, port: port)
    }

    package var isIPv6: Bool { host.isIPv6 }

    /// The address with the port, such as `127.0.0.1:80` or `[::1]:80`.
    package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension SocketAddress {
    /// Copies an address that the kernel or getaddrinfo filled in.
    ///
    /// - Returns: nil for families other than IPv4 and IPv6.
    package init?(_ storage: sockaddr_storage) {
        var copy = storage
        // SAFETY: a sockaddr_storage is longer than either form and aligned for both; the loads and
        // stores below copy plain values.
        switch Int32(storage.ss_family) {
        case AF_INET:
            let raw = unsafe withUnsafeBytes(of: &copy) { unsafe $0.load(as: sockaddr_in.self) }
            self.init(
                host: IPAddress(.v4(InlineBytes4(raw.sin_addr.s_addr))),
                port: UInt16(bigEndian: raw.sin_port)
            )
        case AF_INET6:
            let raw = unsafe withUnsafeBytes(of: &copy) { unsafe $0.load(as: sockaddr_in6.self) }
            self.init(
                host: IPAddress(.v6(InlineBytes16(raw.sin6_addr), scope: raw.sin6_scope_id)),
                port: UInt16(bigEndian: raw.sin6_port)
            )
        default:
            return nil
        }
    }

    /// The form for bind(2) and connect(2), with its length.
    package var storage: (storage: sockaddr_storage, length: socklen_t) {
        var result = sockaddr_storage()
        switch host.content {
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
