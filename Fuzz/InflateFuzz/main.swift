// Content coding: any split of the input gives the same bytes, no limit is exceeded, and stored
// content is restored unless its checksum is wrong. Input: codings, size of pieces, room, then the
// coded bytes.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkInflate(FuzzInput(start, count))
    return 0
}
