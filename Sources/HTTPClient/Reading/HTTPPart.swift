public import Wire

/// A part of a multipart body, with its header fields and its content.
///
///     for try await part in response.parts() {
///         print(part.headers[.contentType] ?? "", try await part.body.collect().count)
///     }
///
/// The content is read as a stream. It can be read until the next part is requested, which skips what is
/// left of it.
public struct HTTPPart: Sendable {
    /// The header fields of the part; possibly none.
    public let headers: HTTPHeaders
    let source: PartBody

    /// The content of the part; it can be read once.
    ///
    /// Reading it after the next part was requested throws `.invalidRequest(.skippedPart)`.
    public var body: HTTPBodyStream { HTTPBodyStream(.part(source)) }
}

extension HTTPStreamedResponse {
    /// Returns the parts of a multipart body (RFC 2046 §5.1), such as those of several ranges.
    ///
    ///     for try await part in response.parts() {
    ///         guard let range = part.headers.contentRange else { continue }
    ///         print(range, try await part.body.collect().count)
    ///     }
    ///
    /// The boundary is that of Content-Type. In `multipart/byteranges`, each part has the length of its
    /// Content-Range (RFC 9110 §14.6). The parser is strict: lines end with CRLF, and only whitespace may
    /// follow a delimiter on its line. ``HTTPClientConfiguration/limits`` apply to the header fields of each
    /// part, as to those of a response.
    ///
    /// - Parameter maxParts: the maximum number of parts. Default 1000: more than any form or range request
    ///   has. For a stream without end, such as `multipart/x-mixed-replace`, pass `.max`.
    /// - Returns: a stream of parts. Call this function once for a response. Reading throws `.recordFailed`
    ///   with ``HTTPRecordError/notMultipart(contentType:)`` or
    ///   ``HTTPRecordError/malformedMultipart(_:)``; both end the stream and close the connection.
    public func parts(maxParts: Int = 1000) -> HTTPRecordStream<HTTPPart> {
        let parts = PartSource(bodySource, multipartDecoder(maxParts))
        return HTTPRecordStream(RecordReader(parts, parts.admission))
    }

    private func multipartDecoder(_ maxParts: Int) -> Result<MultipartDecoder, HTTPRecordError> {
        guard let type = contentType, type.type == "multipart" else {
            return .failure(.notMultipart(contentType: headers[.contentType]))
        }
        do throws(MultipartError) {
            return .success(
                try MultipartDecoder(
                    boundary: type.boundary ?? "",
                    endingParts: type.subtype == "byteranges" ? .contentRange : .delimiter,
                    limits: bodySource.limits,
                    maxParts: maxParts
                )
            )
        } catch {
            return .failure(.malformedMultipart(error))
        }
    }
}
