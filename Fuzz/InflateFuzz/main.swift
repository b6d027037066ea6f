// Content coding: any cut gives the same bytes, no bound is passed, and what was stored comes back
// unless its checksum is another's. Input: codings, size of pieces, room, then the coded bytes.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkInflate(FuzzInput(start, count))
    return 0
}
