extension FieldName {
    /// Lists the table of known names.
    package static var allKnown: [FieldName] { known }

    /// Number in the table; 0 for a name that is not there.
    package var knownNumber: UInt16 { number }
}
