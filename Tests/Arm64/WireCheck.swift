/// Runs Wire on made-up and collected bytes, and prints what it made of them as one number for each
/// part: two processors must print the same lines.
///
/// - Parameters:
///   - corpus: inputs of the fuzz targets, each behind a line with its target and its size in bytes.
///   - rounds: heads of each kind to make up.
/// - Returns: 0 when the scanner and its twin, and a whole and its pieces, never differed; else 1. A
///   property of `Fuzz/Properties` that does not hold stops the process.
@_cdecl("check_wire") public func checkWire(
    _ corpus: UnsafePointer<UInt8>?,
    _ count: Int,
    _ rounds: Int
) -> Int32 {
    var differences = 0
    var part = Part("masks")
    part.checkMasks(rounds: rounds / 10)
    differences += part.finish()
    part = Part("sections")
    part.checkSections(rounds: rounds)
    differences += part.finish()
    for isRequest in [true, false] {
        let kind = isRequest ? "request" : "response"
        part = Part("\(kind) heads")
        part.checkHeads(rounds: rounds / 2, isRequest: isRequest)
        differences += part.finish()
        part = Part("\(kind) decoder")
        part.checkDecoder(rounds: rounds / 4, isRequest: isRequest)
        differences += part.finish()
    }
    part = Part("chunked bodies")
    part.checkBodies(rounds: rounds / 20)
    differences += part.finish()
    part = Part("exchanges")
    part.checkExchanges(rounds: rounds / 20)
    differences += part.finish()
    part = Part("corpus")
    part.checkCorpus(Array(UnsafeBufferPointer(start: corpus, count: count)))
    differences += part.finish()
    return differences == 0 ? 0 : 1
}
