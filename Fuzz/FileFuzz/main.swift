// Files that a client reads: whatever is in them is read without a fault or refused with one, and what
// was read is read again from what is written of it. Input: the file.
internal import ClientProperties
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkFile(FuzzInput(start, count))
    return 0
}
