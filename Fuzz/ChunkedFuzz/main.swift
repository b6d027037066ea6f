// Chunked bodies: any cut and any reader gives what the grammar of RFC 9112 §7.1 gives.
// Input: size of pieces, who reads the content, room, then the body and what follows it.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkChunked(FuzzInput(start, count))
    return 0
}
