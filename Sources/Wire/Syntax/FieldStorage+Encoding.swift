extension FieldStorage {
    /// Counts the octets of all lines in wire form, and makes sure that all may be sent.
    ///
    /// - Parameter first: the index that the first field has in an error.
    /// - Returns: the octets that ``encode(into:)`` writes.
    /// - Throws: `.fieldTooLong`, `.invalidFieldName` or `.invalidFieldValue` for the first field
    ///   that may not.
    func sendableBytes(indexedFrom first: Int = 0) throws(WireError) -> Int {
        var sum = 0
        for index in 0..<entryCount {
            let entry = self[index]
            guard entry.marks.isSubset(of: .isWireForm) else {
                throw fault(entry.marks, index: first + index)
            }
            sum &+= Int(entry.nameLength) &+ Int(entry.valueLength) &+ 4
        }
        return sum
    }

    private func fault(_ marks: FieldEntry.Marks, index: Int) -> WireError {
        if marks.contains(.isCut) { return .fieldTooLong(index: index) }
        if marks.contains(.hasInvalidName) { return .invalidFieldName(index: index) }
        return .invalidFieldValue(index: index)
    }

    /// Appends every line in wire form; neighbours that already lie so are copied in one piece.
    ///
    /// There must be room for the octets that ``sendableBytes(indexedFrom:)`` counted.
    func encode(into output: inout OutputSpan<UInt8>) {
        var run = 0..<0
        for index in 0..<entryCount {
            let entry = self[index]
            guard entry.marks.contains(.isWireForm) else {
                append(run, to: &output)
                run = 0..<0
                append(entry.name, to: &output)
                output.append(Byte.colon)
                output.append(Byte.space)
                append(entry.value, to: &output)
                HeadScanner.appendLineEnd(to: &output)
                continue
            }
            let line = entry.line
            if line.lowerBound == run.upperBound, !run.isEmpty {
                run = run.lowerBound..<line.upperBound
            } else {
                append(run, to: &output)
                run = line
            }
        }
        append(run, to: &output)
    }

    private func append(_ range: Range<Int>, to output: inout OutputSpan<UInt8>) {
        withBytes(range) { HeadScanner.append($0, to: &output) }
    }
}
