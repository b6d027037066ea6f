extension HTTPHeaders: RandomAccessCollection {
    /// The position of the first field line; always 0.
    public var startIndex: Int { 0 }

    /// The number of field lines.
    public var endIndex: Int { storage?.entryCount ?? 0 }

    /// Returns the field line at a position, which must be below ``endIndex``.
    public subscript(position: Int) -> HTTPField {
        guard let storage else { preconditionFailure("index of a field out of range") }
        return HTTPField(storage: storage, entry: storage[position])
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates a section with the given fields, in the given order, repeats included.
    public init(dictionaryLiteral elements: (FieldName, String)...) {
        self.init(elements)
    }
}

extension HTTPHeaders: Hashable {
    /// Compares line by line: order and the bytes of values matter, the ASCII case of names does not.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.count == right.count && left.elementsEqual(right)
    }

    /// Hashes the field lines in order.
    public func hash(into hasher: inout Hasher) {
        for field in self {
            hasher.combine(field)
        }
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// The section as on the wire, one field per line.
    public var description: String {
        map(\.description).joined(separator: "\n")
    }
}

extension HTTPHeaders {
    /// Returns whether a list field contains an element (RFC 9110 §5.6.1).
    ///
    /// All field lines of that name form one list. Elements are compared without regard to ASCII case.
    package func containsToken(_ token: String, in name: FieldName) -> Bool {
        var found = false
        let bytes = token.utf8.span
        forEachElement(of: name) { element in
            found = found || ByteClass.equalsIgnoringCase(element, bytes)
        }
        return found
    }

    /// Calls a closure with every element of a list field, empty elements included.
    func forEachElement<E: Error>(
        of name: FieldName,
        _ visit: (Span<UInt8>) throws(E) -> Void
    ) throws(E) {
        guard let storage else { return }
        var next = firstIndex(of: name)
        while let index = next {
            try storage.withBytes(storage[index].value) { (bytes) throws(E) in
                var position = 0
                while let range = ListSyntax.nextElement(in: bytes, at: &position) {
                    try visit(bytes.extracting(range))
                }
            }
            next = firstIndex(of: name, from: index + 1)
        }
    }
}
