extension HTTPHeaders {
    /// Calls a closure with every element of a list field, and with the position of its field in the head.
    ///
    /// The position is that of the field's value. For a value joined from folded lines it is the position of the
    /// name, and without a received head it is empty.
    package func forEachElement(
        of name: FieldName,
        _ visit: (_ element: Span<UInt8>, _ position: Range<Int>) -> Void
    ) {
        guard let storage else { return }
        for index in 0..<storage.entryCount where storage.isNamed(name, at: index) {
            let entry = storage[index]
            let head = storage.received
            var fieldRange = entry.value
            if fieldRange.upperBound > head.upperBound { fieldRange = entry.name }
            if fieldRange.upperBound > head.upperBound {
                fieldRange = head.lowerBound..<head.lowerBound
            }
            let start = fieldRange.lowerBound - head.lowerBound
            storage.withBytes(entry.value) { bytes in
                var position = 0
                while let range = ListSyntax.nextElement(in: bytes, at: &position) {
                    visit(bytes.extracting(range), start..<start + fieldRange.count)
                }
            }
        }
    }
}
