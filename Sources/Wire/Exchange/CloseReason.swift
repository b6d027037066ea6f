/// Says why a connection cannot carry another exchange (RFC 9112 §9.3 and §9.6).
///
/// The same for both roles: what forbids reuse to a client forbids it to the server as well.
public enum CloseReason: Sendable, Hashable {
    /// One side sent `Connection: close`.
    case connectionClose
    /// One side speaks HTTP/1.0 and did not ask to keep the connection.
    case http10
    /// The close of the connection is the end of the response's body.
    case closeDelimited
    /// The response had Transfer-Encoding beside Content-Length: one of the two may be a lie.
    case lengthAndTransferEncoding
    /// A line of the head ended in LF alone, held a CR or was folded, and the level of the reader
    /// accepted it: another reader may find other lines, and another end of the message. At
    /// ``Strictness/forensic`` any deviation.
    case ambiguousFraming
    /// The request is not complete: not sent as a whole, or not received so.
    case requestIncomplete
    /// The response is not complete: not received as a whole, or not sent so.
    case responseIncomplete
    /// The final response went out without the 100 (Continue) that the client waits for: whether
    /// the body still comes is unknown (RFC 9110 §10.1.1).
    case continueNotSent
    /// The request broke a rule or a limit: where the next one begins is unknown.
    case requestRefused
    /// The peer closed its side.
    case peerClosed
    /// The connection speaks another protocol now; see ``ProtocolSwitch``.
    case upgraded
    /// Bytes followed the end of the response, though nothing was asked.
    case unsolicitedBytes
}
