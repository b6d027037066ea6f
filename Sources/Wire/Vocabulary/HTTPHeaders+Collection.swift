extension HTTPHeaders: RandomAccessCollection {
    /// Begins at 0.
    public var startIndex: Int { 0 }

    /// Counts the field lines.
    public var endIndex: Int { storage?.entryCount ?? 0 }

    /// Gives the field line at that position; the position must be below ``endIndex``.
    public subscript(position: Int) -> HTTPField {
        guard let storage else { preconditionFailure("index of a field out of range") }
        return HTTPField(storage: storage, entry: storage[position])
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates a section of those fields, in the order written, repeats included.
    public init(dictionaryLiteral elements: (FieldName, String)...) {
        self.init(elements)
    }
}

extension HTTPHeaders: Hashable {
    /// Compares line by line: order matters, the case of names does not, values are bytes.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.count == right.count && left.elementsEqual(right)
    }

    /// Hashes line by line.
    public func hash(into hasher: inout Hasher) {
        for field in self {
            hasher.combine(field)
        }
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// Spells the section as it stands on the wire, one field a line.
    public var description: String {
        map(\.description).joined(separator: "\n")
    }
}

extension HTTPHeaders {
    /// Looks for a word in the list that all fields of that name make up (RFC 9110 §5.6.1).
    ///
    /// Elements are compared without ASCII case.
    package func containsToken(_ token: String, in name: FieldName) -> Bool {
        var found = false
        let bytes = token.utf8.span
        forEachElement(of: name) { element in
            found = found || ByteClass.equalsIgnoringCase(element, bytes)
        }
        return found
    }

    /// Visits every element, empty ones included, of the list that all fields of that name make up.
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
