package import SocketTransport

extension HTTPError.FailedAddress {
    package init(_ failure: ConnectFailure) {
        self.init(failure.errno, at: failure.address.description)
    }

    package init(_ errno: Errno, at address: String) {
        self.address = address
        self.errno = errno.rawValue
        reason = errno.description
    }

    package init(_ refused: AddressPolicy.RefusedAddress, at address: SocketAddress) {
        self.address = address.description
        errno = 0
        reason = "refused by the address policy: \(refused.reason)"
    }
}
