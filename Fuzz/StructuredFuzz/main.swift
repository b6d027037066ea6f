// Fields: every parser of Wire/Structured handles any text, and parses its own formatted output as
// the same value. Input: the text.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkStructured(FuzzInput(start, count))
    return 0
}
