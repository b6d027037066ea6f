// Cookies and challenges: whatever an origin sends, other origins get nothing of it, and nothing that is
// sent back breaks a line or tells a password. Input: see `checkIdentity`.
internal import ClientProperties
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkIdentity(FuzzInput(start, count))
    return 0
}
