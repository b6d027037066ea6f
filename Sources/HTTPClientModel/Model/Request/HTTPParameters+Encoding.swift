extension HTTPParameters {
    /// Creates parameters from the members of a value, in the order in which the value encodes them.
    ///
    ///     struct Search: Encodable { var text: String, tags: [String], page: Int? }
    ///     request.query(try HTTPParameters(encoding: Search(text: "a", tags: ["b"], page: nil)))
    ///
    /// A nested value becomes a parameter with nested parameters. A dictionary has no order, so its
    /// entries are sorted by name. Nil values are left out, in arrays too. A member that conforms to
    /// ``HTTPParameters/Convertible`` uses its own text. Dates are formatted according to
    /// ``HTTPParameters/Style/date``.
    ///
    /// - Parameter value: a struct, a dictionary, or any other value that encodes named members.
    /// - Throws: `.invalidRequest(.parameter(…))` with the name of the member that cannot be encoded.
    ///   A value without names, such as an array, cannot be encoded.
    public init(encoding value: some Encodable) throws(HTTPError) {
        do throws(ParameterSerializer.EncodeError) {
            self = try ParameterEncoder.encode(value)
        } catch {
            let reason = HTTPError.InvalidRequestReason.parameter(name: error.name, error.reason)
            throw HTTPError(.invalidRequest(reason), phase: .preparing)
        }
    }
}

extension HTTPRequestProtocol {
    /// Returns a copy with the members of a value added at the end of the query.
    ///
    /// - Parameters:
    ///   - value: as in ``HTTPParameters/init(encoding:)``.
    ///   - style: the format of arrays, Booleans and dates.
    /// - Returns: the copy. If the value cannot be encoded, sending the request fails.
    public func query(
        encoding value: some Encodable,
        style: HTTPParameters.Style = HTTPParameters.Style()
    ) -> Self {
        do throws(ParameterSerializer.EncodeError) {
            return query(try ParameterEncoder.encode(value), style: style)
        } catch {
            return with { $0.recordError(error) }
        }
    }

    /// Returns a copy that sends the members of a value as `application/x-www-form-urlencoded`.
    ///
    /// - Parameters:
    ///   - value: as in ``HTTPParameters/init(encoding:)``.
    ///   - style: the format of arrays, Booleans and dates.
    /// - Returns: the copy. If the value cannot be encoded, sending the request fails.
    public func form(
        encoding value: some Encodable,
        style: HTTPParameters.Style = HTTPParameters.Style()
    ) -> Self {
        body(.form(encoding: value, style: style))
    }
}

extension HTTPBody {
    /// Returns a body with the members of a value as `application/x-www-form-urlencoded`.
    ///
    /// If the value cannot be encoded, sending the request throws `.invalidRequest(.parameter(…))` with
    /// the name of the member.
    ///
    /// - Parameters:
    ///   - value: as in ``HTTPParameters/init(encoding:)``.
    ///   - style: the format of arrays, Booleans and dates.
    /// - Returns: a replayable body of known length.
    public static func form(
        encoding value: some Encodable,
        style: HTTPParameters.Style = HTTPParameters.Style()
    ) -> HTTPBody {
        do throws(ParameterSerializer.EncodeError) {
            return form(try ParameterEncoder.encode(value), style: style)
        } catch {
            let reason = HTTPError.InvalidRequestReason.parameter(name: error.name, error.reason)
            return HTTPBody(content: .invalid(reason), contentType: nil)
        }
    }
}
