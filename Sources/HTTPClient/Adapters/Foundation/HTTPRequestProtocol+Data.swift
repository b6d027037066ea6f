#if Foundation
public import FoundationEssentials

extension HTTPRequestProtocol {
    /// Returns a copy with a JSON body that the sending client encodes
    /// (``HTTPBody/json(_:)-(EncodableSendable)``).
    @_disfavoredOverload
    public func json(_ value: some Encodable & Sendable) -> Self { body(.json(value)) }
}

extension HTTPResumeData {
    /// Creates resume data from the bytes of an earlier ``data``.
    ///
    /// - Throws: `.invalidRequest(.resumeData(reason))`.
    public init(_ data: Data) throws(HTTPError) {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw HTTPError(invalid: .resumeData(.notResumeData))
        }
        try self.init(text)
    }

    /// The ``text`` as UTF-8.
    public var data: Data { Data(text.utf8) }
}
#endif
