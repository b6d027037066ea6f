/// Runs Wire on generated and collected inputs, and prints one number for the outcomes of each part.
///
/// Two processors must print the same lines.
///
/// - Parameters:
///   - corpus: Inputs of the fuzz targets, each after a line with its target and its size in bytes.
///   - count: The length of the corpus in bytes.
///   - rounds: The number of heads of each kind to generate.
/// - Returns: 0 if the scanner always agreed with the scalar scanner, and whole with split input;
///   otherwise 1. A violated property of `Fuzz/Properties` stops the process.
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
