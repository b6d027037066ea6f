#if DEBUG
package import SocketTransport

extension HTTPClient {
    /// Creates a client on a loop that a simulation drives; in debug builds only.
    package convenience init(
        _ configuration: Configuration,
        simulatedOn loop: EventLoop,
        seed: UInt64
    ) {
        self.init(configuration, loop: loop, random: SplitMix64(seed: seed))
    }
}
#endif
