extension FieldStorage {
    /// The number of bytes kept of the name of a field that is too long to store.
    private static let truncatedNameLength = 64

    /// Returns the number of bytes that a field line needs; fewer if it is too long and will be truncated.
    static func lineLength(for name: FieldName, value: Span<UInt8>, behind stored: Int) -> Int {
        let nameLength = name.rawName.utf8.count
        let (room, overflow) = (nameLength + 4).addingReportingOverflow(value.count)
        let fits = nameLength <= maxNameLength && !overflow && room <= maxBytes - stored
        return fits ? room : min(nameLength, truncatedNameLength)
    }

    /// Appends a field line in wire form; ``lineLength(for:value:behind:)`` gave the `room` it needs.
    ///
    /// A line that may not be sent is stored and marked, and the encoder refuses it.
    func appendLine(_ name: FieldName, value: Span<UInt8>, room: Int) {
        HeadScanner.withSpan(of: name.rawName) { appendLine(name, $0, value: value, room: room) }
    }

    private func appendLine(
        _ name: FieldName,
        _ nameBytes: Span<UInt8>,
        value: Span<UInt8>,
        room: Int
    ) {
        guard room == nameBytes.count + value.count + 4 else {
            let cut = appendBytes(nameBytes.extracting(first: min(nameBytes.count, room)))
            let end = cut.upperBound..<cut.upperBound
            appendEntry(FieldEntry(name: cut, number: 0, value: end, flags: .isTruncated))
            return
        }
        var flags: FieldEntry.Flags = .isWireForm
        if !name.isToken { flags.insert(.hasInvalidName) }
        let trimmed = value.extracting(ListSyntax.trim(0..<value.count, of: value))
        let line = appendWireLine(name: nameBytes, value: trimmed)
        if !line.isValid { flags.insert(.hasInvalidValue) }
        appendEntry(
            FieldEntry(name: line.name, number: name.number, value: line.value, flags: flags)
        )
    }

    /// Appends a line of another storage in wire form; there must be room for its bytes and 4 more.
    ///
    /// A line that exceeds ``maxBytes`` is truncated as in ``appendLine(_:value:room:)``.
    func appendLine(_ entry: FieldEntry, from other: FieldStorage) {
        guard entry.lineLength <= Self.maxBytes - byteCount else {
            let end = byteCount..<byteCount
            appendEntry(FieldEntry(name: end, number: 0, value: end, flags: .isTruncated))
            return
        }
        let line = other.withBytes(entry.name) { name in
            other.withBytes(entry.value) { value in
                appendWireLine(name: name, value: value)
            }
        }
        let flags = entry.flags.union(.isWireForm)
        appendEntry(
            FieldEntry(name: line.name, number: entry.number, value: line.value, flags: flags)
        )
    }

    /// Appends those lines of another storage that pass a test; there must be room for all of them.
    ///
    /// Adjacent lines in wire form are copied together.
    func appendLines(of other: FieldStorage, where isWanted: (FieldEntry) -> Bool) {
        var first = 0
        let count = other.entryCount
        while first < count {
            let entry = other[first]
            first += 1
            guard isWanted(entry) else { continue }
            guard entry.flags.contains(.isWireForm) else {
                appendLine(entry, from: other)
                continue
            }
            var run = entry.line
            guard run.count <= Self.maxBytes - byteCount else {
                appendLine(entry, from: other)
                continue
            }
            let room = Self.maxBytes - byteCount
            var last = first
            while last < count {
                let next = other[last]
                guard next.flags.contains(.isWireForm), next.name.lowerBound == run.upperBound,
                    next.line.upperBound - run.lowerBound <= room, isWanted(next)
                else { break }
                run = run.lowerBound..<next.line.upperBound
                last += 1
            }
            let target = other.withBytes(run) { appendBytes($0) }
            let distance = target.lowerBound - run.lowerBound
            appendEntry(entry.moved(by: distance))
            while first < last {
                appendEntry(other[first].moved(by: distance))
                first += 1
            }
        }
    }

    /// The number of bytes of all lines in wire form.
    var lineBytes: Int {
        var sum = 0
        for index in 0..<entryCount {
            let entry = self[index]
            sum += entry.lineLength
        }
        return sum
    }

    /// Returns the name of the field at `index`.
    func name(at index: Int) -> FieldName {
        FieldName(text(self[index].name))
    }

    /// Returns the index of the first field of the given name at or after `start`.
    func firstIndex(of name: FieldName, from start: Int) -> Int? {
        var index = start
        while index < entryCount {
            if isNamed(name, at: index) { return index }
            index += 1
        }
        return nil
    }

    /// Returns whether the field at `index` has the given name.
    func isNamed(_ name: FieldName, at index: Int) -> Bool {
        isNamed(name, self[index])
    }

    /// Returns whether the field of an entry has the given name.
    func isNamed(_ name: FieldName, _ entry: FieldEntry) -> Bool {
        if entry.number != 0 || name.number != 0 { return entry.number == name.number }
        let wanted = name.rawName.utf8.span
        guard wanted.count == Int(entry.nameLength) else { return false }
        return withBytes(entry.name) { ByteClass.equalsIgnoringCase($0, wanted) }
    }

    /// Returns whether a field has the same name as an entry of another storage.
    func containsName(of entry: FieldEntry, in other: FieldStorage) -> Bool {
        for index in 0..<entryCount {
            let own = self[index]
            guard own.number == entry.number else { continue }
            if own.number != 0 { return true }
            let isSame = withBytes(own.name) { left in
                other.withBytes(entry.name) { ByteClass.equalsIgnoringCase(left, $0) }
            }
            if isSame { return true }
        }
        return false
    }

    /// Returns bytes as text: as UTF-8 if they are valid, otherwise as Latin-1, which maps every byte.
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
