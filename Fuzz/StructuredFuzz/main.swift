// Fields: every parser of Wire/Structured takes any text, and takes what it formatted itself as the
// same value. Input: the text.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkStructured(FuzzInput(start, count))
    return 0
}
