// Request heads: any split gives the same head or the same error, and the head has the parts of the
// input. Input: size of pieces, then the head and the bytes after it.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkRequestHead(FuzzInput(start, count))
    return 0
}
