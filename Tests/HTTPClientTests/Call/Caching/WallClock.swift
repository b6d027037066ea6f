import HTTPClient
import SocketTransport
import Support

/// A wall clock that only the test advances; pauses end at once.
final class WallClock: Sendable {
    let seconds = Locked(1_800_000_000)

    var clock: PolicyClock {
        PolicyClock {
            .now()
        } secondsSince1970: { [self] in
            seconds.withLock { $0 }
        } pause: { _ in
        }
    }
}
