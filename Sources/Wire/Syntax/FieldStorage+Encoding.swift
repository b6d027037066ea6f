extension FieldStorage {
    /// Returns the number of bytes of all lines in wire form, after checking that all may be sent.
    ///
    /// - Parameter first: the index that an error gives for the first field.
    /// - Returns: the number of bytes that ``encode(into:)`` writes.
    /// - Throws: `.fieldTooLong`, `.invalidFieldName` or `.invalidFieldValue` for the first field
    ///   that may not be sent.
    func encodedByteCount(indexedFrom first: Int = 0) throws(WireError) -> Int {
        var sum = 0
        for index in 0..<entryCount {
            let entry = self[index]
            guard entry.flags.isSubset(of: .isWireForm) else {
                throw encodingError(entry.flags, index: first + index)
            }
            sum &+= Int(entry.nameLength) &+ Int(entry.valueLength) &+ 4
        }
        return sum
    }

    private func encodingError(_ flags: FieldEntry.Flags, index: Int) -> WireError {
        if flags.contains(.isTruncated) { return .fieldTooLong(index: index) }
        if flags.contains(.hasInvalidName) { return .invalidFieldName(index: index) }
        return .invalidFieldValue(index: index)
    }

    /// Appends every line in wire form; adjacent lines already in wire form are copied together.
    ///
    /// There must be room for the bytes that ``encodedByteCount(indexedFrom:)`` counted.
    func encode(into output: inout OutputSpan<UInt8>) {
        var run = 0..<0
        for index in 0..<entryCount {
            let entry = self[index]
            guard entry.flags.contains(.isWireForm) else {
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
