// The default description of a head would show all fields, and dump(_:) the received bytes.

extension RequestHead: CustomStringConvertible, CustomReflectable {
    /// The request line, without secrets, such as `GET /a?token=*** HTTP/1.1`.
    public var description: String { LogText.line("\(method) \(target) \(version)") }

    /// The parts of the head, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "target": target, "version": version, "headers": headers,
            ]
        )
    }
}

extension ResponseHead: CustomStringConvertible, CustomReflectable {
    /// The version and the status, such as `HTTP/1.1 200 OK`.
    public var description: String { "\(version) \(status)" }

    /// The parts of the head, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["version": version, "status": status, "headers": headers])
    }
}
