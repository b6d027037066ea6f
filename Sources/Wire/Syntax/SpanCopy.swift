extension [UInt8] {
    /// Creates an array with a copy of the bytes.
    package init(copying bytes: Span<UInt8>) {
        // SAFETY: the pointer is valid within the closure, and the array copies what it refers to.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Appends a copy of the bytes.
    package mutating func append(copying bytes: Span<UInt8>) {
        // SAFETY: the pointer is valid within the closure, and the array copies what it refers to.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
