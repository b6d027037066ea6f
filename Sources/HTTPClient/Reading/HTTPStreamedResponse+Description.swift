internal import Wire

extension HTTPStreamedResponse: CustomStringConvertible, CustomReflectable {
    /// The status, such as `HTTPStreamedResponse 200 OK`.
    public var description: String { "HTTPStreamedResponse \(status)" }

    /// The parts of the response, whose texts have `***` in place of secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["status": status, "url": url, "headers": headers])
    }
}
