/// An event that a server has sent in an event stream (Server-Sent Events, WHATWG HTML §9.2).
///
/// A client reads events with `HTTPClient.events(_:)` or `HTTPStreamedResponse.events(maxLength:)`.
public struct HTTPServerSentEvent: Sendable, Hashable {
    /// The type of the event; `message` if the server has set none.
    public var type: String
    /// The values of the fields `data`, separated by LF.
    public var data: String
    /// The last event ID that the server has set, with this event or before; empty if there is none.
    ///
    /// A client that reconnects sends it as Last-Event-ID, so that the server can continue after this event.
    public var lastEventID: String

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - type: the type. Default `message`.
    ///   - data: the data.
    ///   - lastEventID: the last event ID. Default none.
    public init(type: String = "message", data: String, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }
}
