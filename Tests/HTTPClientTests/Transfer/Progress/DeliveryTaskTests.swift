import HTTPClient
import SocketTransport
import Testing

/// Tests how often the events of a loop are delivered.
@Suite(.timeLimit(.minutes(10))) struct DeliveryTaskTests {
    @Test func `requests before a delivery begins cause one delivery`() throws {
        let loop = EventLoop.callerDriven()
        let deliveries = Locked(0)
        try loop.drive {
            let task = DeliveryTask(on: loop)
            for _ in 0..<100 { task.request { deliveries.withLock { $0 += 1 } } }
            await task.finish()
        }
        #expect(deliveries.withLock { $0 } == 1)
    }

    @Test func `a request during a delivery causes one more, for which the end waits`() throws {
        let loop = EventLoop.callerDriven()
        let deliveries = Locked(0)
        try loop.drive {
            let task = DeliveryTask(on: loop)
            @Sendable func deliver() {
                let number = deliveries.withLock { number in
                    number += 1
                    return number
                }
                if number < 3 { for _ in 0..<10 { task.request(deliver) } }
            }
            task.request(deliver)
            await task.finish()
        }
        #expect(deliveries.withLock { $0 } == 3)
    }

    @Test func `the end of a delivery without requests does not wait`() throws {
        let loop = EventLoop.callerDriven()
        try loop.drive {
            let task = DeliveryTask(on: loop)
            await task.finish()
        }
    }
}
