// Field sections: the vector scan gives the same ranges and offsets as the scalar scan. Input:
// offset of the section, maximum number of fields, two splits, then the bytes.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkScanner(FuzzInput(start, count))
    return 0
}
