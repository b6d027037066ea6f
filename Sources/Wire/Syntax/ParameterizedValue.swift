/// Holds a value and the parameters that follow it (RFC 9110 §5.6.6).
package struct ParameterizedValue: Sendable, Hashable {
    /// One `name=value` pair; quotes are gone.
    package struct Parameter: Sendable, Hashable {
        package var name: String
        package var value: String
    }

    package var value: String
    /// In the order of the text, repeats included.
    package var parameters: [Parameter]

    /// Finds the first parameter of that name, compared without ASCII case.
    package subscript(name: String) -> String? {
        parameters.first {
            ByteClass.equalsIgnoringCase($0.name.utf8.span, name.utf8.span)
        }?.value
    }
}
