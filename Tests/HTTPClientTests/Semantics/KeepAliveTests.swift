import HTTPClient
import Testing

@Suite struct KeepAliveTests {
    @Test(
        arguments: [
            ("timeout=5", 4_000_000_000), ("timeout=5, max=100", 4_000_000_000),
            ("max=100, Timeout=2", 1_000_000_000), ("timeout=1", 500_000_000), ("timeout=0", 0),
            ("timeout=1073741824", 1_073_741_823_000_000_000),
        ] as [(String, Int64)]
    ) func `a server's patience is read`(value: String, expected: Int64) {
        #expect(KeepAlive.idleNanoseconds([.keepAlive: value]) == expected)
    }

    @Test(arguments: [
        "", "5", "timeout", "timeout=", "timeout=-1", "timeout=5s", "timeout=1073741825",
        "timeout=99999999999999999999", "max=5",
    ]) func `what is no number of seconds is passed by`(value: String) {
        #expect(KeepAlive.idleNanoseconds([.keepAlive: value]) == nil)
    }

    @Test func `without the field nothing is said`() {
        #expect(KeepAlive.idleNanoseconds([:]) == nil)
    }
}
