// Files that a client reads: any content is parsed or rejected without a crash, and a parsed value
// is parsed again as an equal value after it was formatted. Input: the file.
internal import ClientProperties
internal import FuzzProperties

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe checkFile(FuzzInput(start, count))
    return 0
}
