// Round trip: a message that the encoders write is decoded as the same message, and a message that
// the decoders accept can be sent on. Input: choices, then lines: method or reason, target, fields.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkRoundTrip(FuzzInput(start, count))
    return 0
}
