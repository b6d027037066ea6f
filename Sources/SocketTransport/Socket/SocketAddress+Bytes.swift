private import Glibc

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
