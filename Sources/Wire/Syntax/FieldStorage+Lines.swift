extension FieldStorage {
    /// Octets kept of the name of a field that is too long to store.
    private static let cutLength = 64

    /// Counts the octets that a field line takes; less when it is too long and will be cut.
    static func room(for name: FieldName, value: Span<UInt8>, behind stored: Int) -> Int {
        let nameLength = name.rawName.utf8.count
        let (room, overflow) = (nameLength + 4).addingReportingOverflow(value.count)
        let fits = nameLength <= longestName && !overflow && room <= mostBytes - stored
        return fits ? room : min(nameLength, cutLength)
    }

    /// Adds a field line in wire form; there must be the `room` that ``room(for:value:behind:)`` gave.
    ///
    /// What may not be sent is stored all the same and marked, for the encoder to refuse.
    func appendLine(_ name: FieldName, value: Span<UInt8>, room: Int) {
        let nameBytes = name.rawName.utf8.span
        guard room == nameBytes.count + value.count + 4 else {
            let cut = appendBytes(nameBytes.extracting(first: min(nameBytes.count, room)))
            let end = cut.upperBound..<cut.upperBound
            appendEntry(FieldEntry(name: cut, number: 0, value: end, marks: .isCut))
            return
        }
        var marks: FieldEntry.Marks = .isWireForm
        if !name.isToken { marks.insert(.hasInvalidName) }
        let trimmed = value.extracting(ListSyntax.trim(0..<value.count, of: value))
        for index in trimmed.indices where !ByteClass.isFieldValue(trimmed[index]) {
            marks.insert(.hasInvalidValue)
        }
        let separator: InlineArray<2, UInt8> = [Byte.colon, Byte.space]
        let lineEnd: InlineArray<2, UInt8> = [Byte.carriageReturn, Byte.lineFeed]
        let nameRange = appendBytes(nameBytes)
        appendBytes(separator.span)
        let valueRange = appendBytes(trimmed)
        appendBytes(lineEnd.span)
        appendEntry(
            FieldEntry(name: nameRange, number: name.number, value: valueRange, marks: marks)
        )
    }

    /// Adds a line of another storage, in wire form; there must be room for its octets and 4 more.
    func appendLine(_ entry: FieldEntry, from other: FieldStorage) {
        let separator: InlineArray<2, UInt8> = [Byte.colon, Byte.space]
        let lineEnd: InlineArray<2, UInt8> = [Byte.carriageReturn, Byte.lineFeed]
        let name = other.withBytes(entry.name) { appendBytes($0) }
        appendBytes(separator.span)
        let value = other.withBytes(entry.value) { appendBytes($0) }
        appendBytes(lineEnd.span)
        let marks = entry.marks.union(.isWireForm)
        appendEntry(FieldEntry(name: name, number: entry.number, value: value, marks: marks))
    }

    /// Counts the octets of all lines in wire form.
    var lineBytes: Int {
        var sum = 0
        for index in 0..<entryCount {
            let entry = self[index]
            sum += Int(entry.nameLength) + Int(entry.valueLength) + 4
        }
        return sum
    }

    /// Gives the name of the field at `index`.
    func name(at index: Int) -> FieldName {
        FieldName(text(self[index].name))
    }

    /// Says whether the field at `index` has that name.
    func isNamed(_ name: FieldName, at index: Int) -> Bool {
        let entry = self[index]
        if entry.number != 0 || name.number != 0 { return entry.number == name.number }
        let wanted = name.rawName.utf8.span
        guard wanted.count == Int(entry.nameLength) else { return false }
        return withBytes(entry.name) { ByteClass.equalsIgnoringCase($0, wanted) }
    }

    /// Says which rule the first unsendable field breaks; nil when all may be sent.
    func firstFault() -> WireError? {
        for index in 0..<entryCount {
            let marks = self[index].marks
            if marks.contains(.isCut) { return .fieldTooLong(index: index) }
            if marks.contains(.hasInvalidName) { return .invalidFieldName(index: index) }
            if marks.contains(.hasInvalidValue) { return .invalidFieldValue(index: index) }
        }
        return nil
    }

    /// Appends every line in wire form; neighbours that already lie so are copied in one piece.
    func encode(into output: inout [UInt8]) {
        var run = 0..<0
        for index in 0..<entryCount {
            let entry = self[index]
            let line = entry.name.lowerBound..<entry.value.upperBound + 2
            guard entry.marks.contains(.isWireForm) else {
                append(run, to: &output)
                run = 0..<0
                append(entry.name, to: &output)
                output.append(Byte.colon)
                output.append(Byte.space)
                append(entry.value, to: &output)
                output.append(Byte.carriageReturn)
                output.append(Byte.lineFeed)
                continue
            }
            if line.lowerBound == run.upperBound, !run.isEmpty {
                run = run.lowerBound..<line.upperBound
            } else {
                append(run, to: &output)
                run = line
            }
        }
        append(run, to: &output)
    }

    /// Makes text of octets: as UTF-8 if they are valid, else as Latin-1, which maps every octet.
    func text(_ range: Range<Int>) -> String {
        withBytes(range) { bytes in
            if let valid = try? UTF8Span(validating: bytes) {
                return String(copying: valid)
            }
            var output: [UInt8] = []
            output.reserveCapacity(bytes.count * 2)
            for index in bytes.indices {
                let byte = bytes[index]
                if byte < 0x80 {
                    output.append(byte)
                } else {
                    output.append(0xc0 | byte >> 6)
                    output.append(0x80 | byte & 0x3f)
                }
            }
            return String(decoding: output, as: UTF8.self)
        }
    }
}
