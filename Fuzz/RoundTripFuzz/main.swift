// Round trip: what the encoders let out is read as the same message, and what the decoders accept
// can be sent on. Input: choices, then lines: method or reason, target, fields.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkRoundTrip(FuzzInput(start, count))
    return 0
}
