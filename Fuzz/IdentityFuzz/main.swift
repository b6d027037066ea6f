// Cookies and challenges: whatever an origin sends, the client sends nothing of it to other
// origins, and no field that it sends breaks a line or contains a password. Input: see
// `checkIdentity`.
internal import ClientProperties
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkIdentity(FuzzInput(start, count))
    return 0
}
