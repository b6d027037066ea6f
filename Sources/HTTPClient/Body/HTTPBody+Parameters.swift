extension HTTPBody {
    /// Parameters as `application/x-www-form-urlencoded`, in their order, repeats kept.
    ///
    ///     request.body = .form(["name": name, "tags": ["a", "b"], "open": true])
    ///
    /// A space becomes `+`. A value that no text stands for makes a request that cannot be sent:
    /// sending it throws `.invalidRequest(.parameter(…))` with its name.
    ///
    /// - Parameters:
    ///   - parameters: names and values; null is an empty value, and an empty array sends nothing.
    ///   - style: how arrays, truth values and dates are spelled.
    /// - Returns: a body of known length that can be sent again.
    public static func form(
        _ parameters: HTTPParameters,
        style: HTTPParameterStyle = HTTPParameterStyle()
    ) -> HTTPBody {
        do throws(ParameterSerializer.EncodeError) {
            return .bytes(
                try ParameterSerializer.form(parameters, style),
                contentType: "application/x-www-form-urlencoded"
            )
        } catch {
            let fault = HTTPInvalidRequestReason.parameter(name: error.name, error.reason)
            return HTTPBody(content: .invalid(fault), contentType: nil)
        }
    }
}
