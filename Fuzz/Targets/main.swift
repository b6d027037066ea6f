// All fuzz targets in one program, so that one build has all of them. The name by which the program is
// started selects the target: scripts/fuzz makes a symbolic link for each.
internal import ClientProperties
internal import FuzzProperties

private enum Selected {
    // libFuzzer has the main function, so only lazy variables are initialized.
    static let target: FuzzTarget = {
        let name = CommandLine.arguments[0].split(separator: "/").last ?? ""
        guard let target = (FuzzTarget.wire + FuzzTarget.client).first(where: { $0.name == name })
        else { preconditionFailure("there is no fuzz target \(name)") }
        return target
    }()
}

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>?,
    _ count: Int
) -> CInt {
    unsafe Selected.target.check(FuzzInput(start, count))
    return 0
}
