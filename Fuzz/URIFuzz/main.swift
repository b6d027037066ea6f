// URIs: the parts form the whole, encoding is idempotent, and resolving follows the algorithms of
// RFC 3986 §5.2. Input: a base, LF, a reference.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkURI(FuzzInput(start, count))
    return 0
}
