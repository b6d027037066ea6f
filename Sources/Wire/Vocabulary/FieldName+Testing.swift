extension FieldName {
    /// All names in the table of known names.
    package static var allKnown: [FieldName] { known }

    /// The number of the name in the table; 0 for a name that is not in it.
    package var knownNumber: UInt16 { number }
}
