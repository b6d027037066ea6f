package import SocketTransport

extension PoolState {
    /// What a caller who wants a connection does next.
    package enum Acquisition: Equatable {
        /// Use this idle connection, unless it has expired by now.
        case reuse(ConnectionIndex, until: Deadline)
        /// Open a connection at this place, which is counted already.
        case open(ConnectionIndex)
        /// Close this idle connection, then open one.
        case evictAndOpen(victim: ConnectionIndex, ConnectionIndex)
        /// Wait for ``Effects``.
        case wait(WaiterID)
    }

    /// What the driver does after an event: first it closes, then it hands over and opens.
    package struct Effects: Equatable {
        /// Close these connections; their places are free already.
        package var close: [ConnectionIndex] = []
        /// Hand this connection to this waiter.
        package var lease: Assignment?
        /// Tell this waiter to open a connection at this place, which is counted already.
        package var open: Assignment?

        package init() {}
    }

    /// Who gets which connection.
    package struct Assignment: Equatable {
        package let waiter: WaiterID
        package let connection: ConnectionIndex

        package init(waiter: WaiterID, connection: ConnectionIndex) {
            self.waiter = waiter
            self.connection = connection
        }
    }

    /// What a connection is doing.
    package enum Phase {
        /// It is not there: its place may be given away.
        case free
        case connecting
        case leased
        case idle
    }
}
