// Request heads: any cut gives the same head or the same error, and its parts are those on the
// wire. Input: size of pieces, then the head and what follows it.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkRequestHead(FuzzInput(start, count))
    return 0
}
