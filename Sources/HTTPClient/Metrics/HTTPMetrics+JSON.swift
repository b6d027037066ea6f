extension HTTPMetrics {
    /// All that was measured, as JSON.
    ///
    /// An object with `total`, `bytesSent`, `bytesReceived`, `replays` and `attempts`, whose members are
    /// called as those of ``Attempt``. Times are milliseconds from the start of the call on, exact to the
    /// nanosecond; null stands for what did not happen. `error` is what an attempt failed with, `phase`
    /// when; of failures of your own code it is the ``HTTPError/Kind/label``. Nothing in it is secret: it
    /// has addresses, and neither URLs nor fields.
    public var json: HTTPJSON {
        [
            "total": milliseconds(total), "bytesSent": .bytes(bytesSent),
            "bytesReceived": .bytes(bytesReceived), "replays": .integer(replays),
            "attempts": .array(attempts.map(\.json)),
        ]
    }
}

extension HTTPMetrics.Attempt {
    fileprivate var json: HTTPJSON {
        .object(identity + marks + counts + [.init("connectAttempts", .array(attempts))])
    }

    private var identity: [HTTPJSON.Member] {
        var phase: HTTPJSON = .null
        if case .failed(_, let found) = outcome { phase = .string("\(found)") }
        return [
            .init("reason", .string(reason.name)),
            .init("outcome", .string(outcome.word)),
            .init("error", HTTPJSON(outcome.kind.map { $0.publicReason ?? $0.label })),
            .init("phase", phase),
            .init("connectionID", .unsigned(UInt(connectionID))),
            .init("priorUses", .integer(priorUses)),
            .init("remoteAddress", HTTPJSON(remoteAddress)),
            .init("remotePort", HTTPJSON(remotePort.map { Int($0) })),
            .init("localAddress", HTTPJSON(localAddress)),
            .init("localPort", HTTPJSON(localPort.map { Int($0) })),
            .init("tls", tls.map(Self.json) ?? .null),
        ]
    }

    private var marks: [HTTPJSON.Member] {
        let marks: [(String, Duration?)] = [
            ("began", began), ("dequeued", dequeued), ("resolved", resolved),
            ("connected", connected), ("tunneled", tunneled), ("secured", secured),
            ("leased", leased), ("headSent", headSent), ("sent", sent), ("firstByte", firstByte),
            ("headReceived", headReceived), ("ended", ended),
        ]
        return marks.map { .init($0.0, milliseconds($0.1)) }
    }

    private var counts: [HTTPJSON.Member] {
        let counts = [
            ("bytesSent", bytesSent), ("headBytesSent", headBytesSent),
            ("bodyBytesSent", bodyBytesSent), ("bytesReceived", bytesReceived),
            ("headBytesReceived", headBytesReceived), ("bodyBytesReceived", bodyBytesReceived),
            ("bodyBytesDecoded", bodyBytesDecoded),
        ]
        return counts.map { .init($0.0, .bytes($0.1)) }
    }

    private var attempts: [HTTPJSON] {
        connectAttempts.map { entry in
            let outcome: (String, HTTPJSON) =
                switch entry.outcome {
                case .connected: ("connected", .null)
                case .failed(let failure): ("failed", .string(failure.reason))
                case .abandoned: ("abandoned", .null)
                }
            return [
                "address": .string(entry.address), "start": milliseconds(entry.start),
                "end": milliseconds(entry.end), "outcome": .string(outcome.0),
                "reason": outcome.1,
            ]
        }
    }

    private static func json(_ tls: TLSSessionInfo) -> HTTPJSON {
        [
            "version": HTTPJSON(tls.version?.name), "cipher": .string(tls.cipher),
            "applicationProtocol": HTTPJSON(tls.applicationProtocol),
            "serverName": HTTPJSON(tls.serverName), "isResumed": .bool(tls.isResumed),
            "isVerified": .bool(tls.isVerified),
        ]
    }
}

extension HTTPMetrics.Attempt.Outcome {
    /// The name of the case alone.
    fileprivate var word: String {
        switch self {
        case .lost: "lost"
        case .failed: "failed"
        default: name
        }
    }
}

extension HTTPJSON {
    fileprivate static func bytes(_ count: Int) -> HTTPJSON { .integer(count) }
}

private func milliseconds(_ time: Duration?) -> HTTPJSON {
    HTTPJSON(time.map { Double($0.wholeNanoseconds) / 1e6 })
}
