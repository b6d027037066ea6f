/// A value and the parameters that follow it (RFC 9110 §5.6.6).
package struct ParameterizedValue: Sendable, Hashable {
    /// One `name=value` pair, without quotes.
    package struct Parameter: Sendable, Hashable {
        package var name: String
        package var value: String
    }

    package var value: String
    /// The parameters in the order of the text, repeats included.
    package var parameters: [Parameter]

    /// The value of the first parameter with the given name, compared without regard to ASCII case.
    package subscript(name: String) -> String? {
        parameters.first {
            ByteClass.equalsIgnoringCase($0.name.utf8.span, name.utf8.span)
        }?.value
    }
}
