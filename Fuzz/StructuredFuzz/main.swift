// Every parser of field values on the same text: none stops, and what one accepts it accepts again,
// as an equal value, when it is formatted. Input: the text.
internal import Wire

private func check<each V: Equatable>(_ text: String, _ parse: repeat (String) -> (each V)?) {
    for parse in repeat each parse {
        if let value = parse(text) { precondition(parse("\(value)") == value) }
    }
}

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(
    _ start: UnsafePointer<UInt8>,
    _ count: Int
) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    let now = HTTPDate(secondsSince1970: 1_800_000_000)
    check(text, { HTTPDate($0, now: now) }, { HTTPDate($0) }, { RetryAfter($0, now: now) })
    check(text, { EntityTag($0) }, { EntityTagCondition($0) }, { RangeHeader($0) })
    check(text, { ContentRange($0) }, { MediaType($0) }, { MediaRange($0) }, { QualityValue($0) })
    check(text, { AcceptHeader($0) }, { CacheControl($0) }, { Challenge($0) }, { WebLink($0) })
    check(text, { ContentDisposition($0) }, { AcceptHeader(AcceptHeader($0)?.byPreference ?? []) })
    let (challenges, links) = (Challenge.list([text]), WebLink.list([text]))
    precondition(Challenge.list([challenges.map { "\($0)" }.joined(separator: ",")]) == challenges)
    precondition(WebLink.list([links.map { "\($0)" }.joined(separator: ",")]) == links)
    let parts = (try? MultipartByteranges.parts(of: bytes.span, boundary: "b")) ?? []
    precondition(parts.allSatisfy { $0.content.upperBound < count })
    guard let safe = ContentDisposition("a", fileName: text)?.safeFileName else { return 0 }
    precondition(1...255 ~= safe.utf8.count && safe.utf8.allSatisfy { $0 >= 32 && $0 != 47 })
    precondition(ContentDisposition("a", fileName: safe)?.safeFileName == safe)
    return 0
}
