// Two readers: every message that only one of them accepts, or that ends elsewhere for the other,
// is explained by a row of knownDifferences. Input: the role, then the message and the bytes after
// it.

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = bytes.first else { return 0 }
    let message = Message(role: choice & 1 == 0 ? .request : .response, bytes: bytes.dropFirst())
    if message.wire.isEquivalent(to: message.httpParser) { return 0 }
    let isKnown = KnownDifference.checkedTable.contains { $0.explains(message) }
    precondition(isKnown, "not in the table: \(message)")
    return 0
}
