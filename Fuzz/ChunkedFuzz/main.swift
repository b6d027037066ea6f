// Chunked bodies: the result follows the grammar of RFC 9112 §7.1, however the input is split and
// read. Input: size of pieces, bytes read directly, room, then the body and the bytes after it.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkChunked(FuzzInput(start, count))
    return 0
}
