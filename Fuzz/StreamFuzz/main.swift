// Streams: the records of a body (lines, JSON text sequences, events, parts) do not depend on its split,
// and their lengths have a limit. Input: the kind, the size of pieces, the limit, then the body.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkStream(FuzzInput(start, count))
    return 0
}
