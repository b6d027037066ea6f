extension HTTPParameters {
    /// Makes parameters of the members of a value, in the order in which it encodes them.
    ///
    ///     struct Search: Encodable { var text: String, tags: [String], page: Int? }
    ///     request.query(try HTTPParameters(encoding: Search(text: "a", tags: ["b"], page: nil)))
    ///
    /// Members with members of their own become parameters within a parameter, and dictionaries are
    /// sorted by name, as they have no order. What is nil is left out, of arrays too. A part that is
    /// ``HTTPParameterConvertible`` is spelled as it says: so are dates, as ``HTTPParameterStyle/date``
    /// says.
    ///
    /// - Parameter value: a struct, a dictionary, or whatever else encodes names.
    /// - Throws: `.invalidRequest(.parameter(…))` with the name of what could not be encoded; a value
    ///   without names, such as an array, is one.
    public init(encoding value: some Encodable) throws(HTTPError) {
        do throws(ParameterSerializer.EncodeError) {
            self = try ParameterEncoder.encode(value)
        } catch {
            let fault = HTTPInvalidRequestReason.parameter(name: error.name, error.reason)
            throw HTTPError(.invalidRequest(fault), phase: .preparing)
        }
    }
}

extension HTTPRequestProtocol {
    /// Adds the members of a value to the query, behind what it has.
    ///
    /// - Parameters:
    ///   - value: as in ``HTTPParameters/init(encoding:)``.
    ///   - style: how arrays, truth values and dates are spelled.
    /// - Returns: a changed copy; what cannot be encoded is said when it is sent.
    public func query(
        encoding value: some Encodable,
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> Self {
        do throws(ParameterSerializer.EncodeError) {
            return query(try ParameterEncoder.encode(value), style: style)
        } catch {
            return changed { $0.recordError(error) }
        }
    }

    /// Returns a copy that sends the members of a value as `application/x-www-form-urlencoded`.
    ///
    /// - Parameters:
    ///   - value: as in ``HTTPParameters/init(encoding:)``.
    ///   - style: how arrays, truth values and dates are spelled.
    /// - Returns: the copy; what cannot be encoded is said when it is sent.
    public func form(
        encoding value: some Encodable,
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> Self {
        body(.form(encoding: value, style: style))
    }
}

extension HTTPBody {
    /// The members of a value as `application/x-www-form-urlencoded`.
    ///
    /// A value that cannot be encoded makes a request that cannot be sent: sending it throws
    /// `.invalidRequest(.parameter(…))` with the name of its part.
    ///
    /// - Parameters:
    ///   - value: as in ``HTTPParameters/init(encoding:)``.
    ///   - style: how arrays, truth values and dates are spelled.
    /// - Returns: a body of known length that can be sent again.
    public static func form(
        encoding value: some Encodable,
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> HTTPBody {
        do throws(ParameterSerializer.EncodeError) {
            return form(try ParameterEncoder.encode(value), style: style)
        } catch {
            let fault = HTTPInvalidRequestReason.parameter(name: error.name, error.reason)
            return HTTPBody(content: .invalid(fault), contentType: nil)
        }
    }
}
