// Exchanges: a response gives the same events or the same error, however it is split. Input:
// method, size of pieces, then the bytes of the connection.
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkExchange(FuzzInput(start, count))
    return 0
}
