// Two readers: whatever one of them accepts and the other refuses, or ends elsewhere, is explained by
// a row of knownDifferences. Input: the role, then the message and what follows it.

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    let octets = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = octets.first else { return 0 }
    let message = Message(role: choice & 1 == 0 ? .request : .response, octets: octets.dropFirst())
    if message.ours.isLike(message.theirs) { return 0 }
    let isKnown = KnownDifference.checkedTable.contains { $0.explains(message) }
    precondition(isKnown, "not in the table: \(message)")
    return 0
}
