internal import Wire

/// Checks that the vector scan of a field section gives the same result as the scalar scan.
///
/// Both give the same ranges, names and end, or the same error at the same offset. This holds
/// wherever the section begins and is split.
///
/// Input: offset of the section, maximum number of fields, two splits, then the bytes from the
/// first on.
package func checkScanner(_ input: FuzzInput) {
    var input = input
    let start = input.byte() % 67
    let maxFields = input.pick([128, 128, 3, 0, 70])
    let cuts = [input.byte() * 3, input.byte() * 17].map { start + $0 }
    // The bytes before the section must not matter, so they are arbitrary.
    let bytes = [UInt8](repeating: 0x0a, count: start) + input.rest
    let rule = HeadScanner.scanScalar(of: bytes, from: start, maxFields: maxFields)
    let whole = HeadScanner.scan(of: bytes, from: start, cuts: [], maxFields: maxFields)
    precondition(whole == rule, "\(whole) is not \(rule)")
    let inPieces = HeadScanner.scan(
        of: bytes,
        from: start,
        cuts: cuts.sorted().filter { $0 <= bytes.count },
        maxFields: maxFields
    )
    precondition(inPieces == rule, "split at \(cuts), \(inPieces) is not \(rule)")
}
