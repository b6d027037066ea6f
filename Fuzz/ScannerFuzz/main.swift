// The oracle: the vector scan of a field section against the scalar one, ranges and offsets alike.
// Input: offset of the section, most fields, two cuts, then the bytes.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkScanner(FuzzInput(start, count))
    return 0
}
