// The package initializer and function throw the error of the format, which a request keeps until it is sent. These
// throw the error of calls, so that one `catch` sees a single error type.
extension URITemplate {
    /// Parses a template.
    ///
    /// - Parameter text: the text of the template.
    /// - Throws: `.invalidRequest(.template(text, reason))` with the first error, and its offset in bytes from the
    ///   beginning.
    public init(_ text: String) throws(HTTPError) {
        do throws(TemplateError) {
            try self.init(parsing: text)
        } catch {
            throw HTTPError(invalid: .template(text, error))
        }
    }

    /// Expands the template (RFC 6570 §3).
    ///
    /// Numbers are formatted as Swift prints them, Booleans as `true` and `false`, dates as
    /// `2021-08-13T13:55:42Z`. Variables without a value are left out: a name that is not in `variables`,
    /// nil, an empty list, an empty object.
    ///
    /// - Parameter variables: text, numbers, lists and objects by name. The members of a dictionary are
    ///   sorted by name; those of ``HTTPParameters`` keep their order.
    /// - Returns: a URI or a relative reference, unless the literal text makes it invalid.
    /// - Throws: `.invalidRequest(.template(text, reason))` with `.prefixOfComposite`, `.nestedValue` or
    ///   `.invalidValue`.
    public func expand(
        _ variables: [String: any HTTPParameters.Convertible]
    ) throws(HTTPError) -> String {
        do throws(TemplateError) {
            return try expanding(variables)
        } catch {
            throw HTTPError(invalid: .template(text, error))
        }
    }
}
