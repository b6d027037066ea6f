/// Writes field lines straight into a head: for fields that are at hand, and sent once.
///
/// ``HTTPHeaders`` is a value to keep, search and change. This is none: each line is checked while
/// it is copied to where it is sent from, and nothing is allocated as long as the array has room.
/// ``ResponseHeadEncoder`` and ``RequestHeadEncoder`` make one.
///
/// No call fails. A line that may not be sent is remembered, and the encoder throws its error and
/// takes back all it wrote.
public struct FieldWriter: ~Copyable {
    private var bytes: [UInt8] = []
    private var count = 0
    private var fault: WireError?

    /// Takes an array over, to append to it.
    init(taking output: inout [UInt8]) {
        swap(&bytes, &output)
    }

    /// Appends a field line.
    ///
    /// Whitespace around the value is dropped, as it is not part of it (RFC 9110 §5.5).
    public mutating func append(_ name: FieldName, _ value: String) {
        appendLine(name, value.utf8.span)
    }

    /// Appends a field line with a value of any octets; whitespace around it is dropped.
    public mutating func append(_ name: FieldName, bytes value: Span<UInt8>) {
        appendLine(name, value)
    }

    /// Appends a field line with a number in decimal digits, such as Content-Length.
    public mutating func append(_ name: FieldName, _ number: UInt64) {
        guard startLine(name) else { return }
        let nameBytes = name.rawName.utf8.span
        bytes.append(addingCapacity: nameBytes.count + 24) { output in
            HeadScanner.append(nameBytes, to: &output)
            output.append(Byte.colon)
            output.append(Byte.space)
            Digits.appendDecimal(number, to: &output)
            HeadScanner.appendLineEnd(to: &output)
        }
    }

    /// Appends all fields of a section.
    public mutating func append(contentsOf headers: HTTPHeaders) {
        guard fault == nil, let storage = headers.storage else { return }
        do throws(WireError) {
            let room = try storage.sendableBytes(indexedFrom: count)
            bytes.append(addingCapacity: room) { storage.encode(into: &$0) }
            count += storage.entryCount
        } catch {
            fault = error
        }
    }

    /// Ends the section and gives the array back.
    ///
    /// - Throws: the error of the first line that may not be sent; the array then has its first
    ///   `start` octets alone.
    mutating func finish(into output: inout [UInt8], from start: Int) throws(WireError) {
        if fault == nil {
            bytes.append(Byte.carriageReturn)
            bytes.append(Byte.lineFeed)
        } else {
            bytes.removeLast(bytes.count - start)
        }
        swap(&bytes, &output)
        if let fault { throw fault }
    }

    private mutating func appendLine(_ name: FieldName, _ value: Span<UInt8>) {
        guard startLine(name) else { return }
        let nameBytes = name.rawName.utf8.span
        let trimmed = value.extracting(ListSyntax.trim(0..<value.count, of: value))
        if !HeadScanner.appendLine(nameBytes, trimmed, to: &bytes) {
            fault = .invalidFieldValue(index: count - 1)
        }
    }

    /// Counts a line; false when it, or one before it, may not be sent.
    private mutating func startLine(_ name: FieldName) -> Bool {
        guard fault == nil else { return false }
        guard name.isToken else {
            fault = .invalidFieldName(index: count)
            return false
        }
        count += 1
        return true
    }
}
