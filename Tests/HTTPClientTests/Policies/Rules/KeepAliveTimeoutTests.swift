import HTTPClient
import Testing

@Suite struct KeepAliveTimeoutTests {
    @Test(
        arguments: [
            ("timeout=5", 4_000_000_000), ("timeout=5, max=100", 4_000_000_000),
            ("max=100, Timeout=2", 1_000_000_000), ("timeout=1", 500_000_000), ("timeout=0", 0),
            ("timeout=1073741824", 1_073_741_823_000_000_000),
        ] as [(String, Int64)]
    ) func `the Keep-Alive timeout of a server is parsed`(value: String, expected: Int64) {
        #expect(KeepAliveTimeout.idleNanoseconds([.keepAlive: value]) == expected)
    }

    @Test(arguments: [
        "", "5", "timeout", "timeout=", "timeout=-1", "timeout=5s", "timeout=1073741825",
        "timeout=99999999999999999999", "max=5",
    ]) func `an invalid Keep-Alive timeout is ignored`(value: String) {
        #expect(KeepAliveTimeout.idleNanoseconds([.keepAlive: value]) == nil)
    }

    @Test func `a missing Keep-Alive has no timeout`() {
        #expect(KeepAliveTimeout.idleNanoseconds([:]) == nil)
    }
}
