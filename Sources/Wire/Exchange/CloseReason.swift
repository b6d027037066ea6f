/// A reason why a connection cannot carry another exchange (RFC 9112 §9.3 and §9.6).
///
/// The reasons apply to both the client and the server.
public enum CloseReason: Sendable, Hashable {
    /// One side sent `Connection: close`.
    case connectionClose
    /// One side uses HTTP/1.0 and did not request to keep the connection.
    case http10
    /// The response body ends with the connection.
    case closeDelimited
    /// The response had both Transfer-Encoding and Content-Length, of which one may be wrong.
    case lengthAndTransferEncoding
    /// The reader accepted a deviation after which other readers may find another end of the
    /// message.
    ///
    /// A line of the head ended in LF alone, contained a CR or was folded. At
    /// ``Strictness/forensic``, any deviation has this effect.
    case ambiguousFraming
    /// The request was not sent or received completely.
    case requestIncomplete
    /// The response was not received or sent completely.
    case responseIncomplete
    /// The server sent the final response without the 100 (Continue) that the client waits for.
    ///
    /// Whether the client still sends the body is unknown (RFC 9110 §10.1.1).
    case continueNotSent
    /// The request broke a rule or a limit, so the start of the next one is unknown.
    case requestRefused
    /// The peer closed its side.
    case peerClosed
    /// The connection now uses another protocol; see ``ProtocolSwitch``.
    case upgraded
    /// Bytes followed the end of the response although no request was outstanding.
    case unsolicitedBytes
}
