internal import Wire

/// The vector scan reads every field section as the scalar one does: the same ranges, names and
/// end, or the same error at the same offset, wherever the section begins and is cut.
///
/// Input: offset of the section, most fields, two cuts, then the octets from the first on.
package func checkScanner(_ input: FuzzInput) {
    var input = input
    let start = input.octet() % 67
    let mostFields = input.pick([128, 128, 3, 0, 70])
    let cuts = [input.octet() * 3, input.octet() * 17].map { start + $0 }
    // What precedes the section must not matter, so it is made up.
    let octets = [UInt8](repeating: 0x0a, count: start) + input.rest
    let rule = HeadScanner.scalarReading(of: octets, from: start, mostFields: mostFields)
    let whole = HeadScanner.reading(of: octets, from: start, cuts: [], mostFields: mostFields)
    precondition(whole == rule, "\(whole) is not \(rule)")
    let inPieces = HeadScanner.reading(
        of: octets,
        from: start,
        cuts: cuts.sorted().filter { $0 <= octets.count },
        mostFields: mostFields
    )
    precondition(inPieces == rule, "cut at \(cuts), \(inPieces) is not \(rule)")
}
