import Glibc
import Wire

// wire-bench BENCH [FILE]
//
// Times one part of Wire on one thread and prints one line of figures.

let usage = """
    usage: wire-bench BENCH [FILE]
      response-head        decode heads where they lie, each in an InputBuffer
      request-head         the same for requests
      response-head-slice  decode heads in the middle of one large array, giving each back
      request-head-slice   the same for requests
      chunked              decode 1 MiB in chunks of FILE bytes (8, 1024, 65536; 0: all kinds),
                           ranges of many chunks at a time
      chunked-step         the same, one piece at a time
      chunked-copy         the same, copied without what lies between the chunks
      encode               write heads into one array that is used again: those of FILE, or one of
                           8 fields and 448 bytes from
                           headers   headers that are kept
                           refilled  headers filled for each head
                           fields    names and values; the default
    FILE is a head, or when its name begins with "mixed", heads that each follow their length as
    UInt32, least byte first. Without it heads are made up, 256 of them, all different.
    environment: ROUNDS=n repeats exactly n times and prints no times, to count instructions
                 PACED=1 takes a sample of 2 ms for each byte of standard input, and prints its ns

    """

func fail(_ message: String) -> Never {
    let bytes = Array(message.utf8)
    _ = write(2, bytes, bytes.count)
    exit(2)
}

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first, arguments.count <= 2 else { fail(usage) }
let file = arguments.dropFirst().first

do {
    switch name {
    case "response-head":
        let input = try HeadSet(file ?? HeadSet.generated)
        let held = BufferedHeads(input)
        var decoder = ResponseHeadDecoder()
        try Bench(name, input).run { try held.decode(&decoder) }
    case "request-head":
        let input = try HeadSet(file ?? HeadSet.folder + "request.bin")
        let held = BufferedHeads(input)
        var decoder = RequestHeadDecoder()
        try Bench(name, input).run { try held.decode(&decoder) }
    case "response-head-slice":
        let input = try HeadSet(file ?? HeadSet.generated)
        let sliced = SlicedHeads(input)
        var decoder = ResponseHeadDecoder()
        try Bench(name, input).run { try sliced.decode(&decoder) }
    case "request-head-slice":
        let input = try HeadSet(file ?? HeadSet.folder + "request.bin")
        let sliced = SlicedHeads(input)
        var decoder = RequestHeadDecoder()
        try Bench(name, input).run { try sliced.decode(&decoder) }
    case "chunked", "chunked-step", "chunked-copy":
        guard let size = Int(file ?? "1024"), size >= 0 else { fail(usage) }
        let input = ChunkedBody(chunkSize: size)
        var ranges: [Range<Int>] = []
        var output: [UInt8] = []
        try Bench(name, input).run {
            switch name {
            case "chunked": try input.decodeRanges(&ranges)
            case "chunked-copy": try input.decodeCopies(&output)
            default: try input.decodeSteps()
            }
        }
    case "encode":
        let label = file ?? "fields"
        if EncodedHead.labels.contains(label) {
            var input = EncodedHead(label)
            try Bench(name, input).run { try input.encode() }
            break
        }
        let input = try HeadSet(label)
        let heads = try ResponseHeads.all(of: input)
        var output: [UInt8] = []
        try Bench(name, input).run { try ResponseHeads.encode(heads, into: &output) }
    default:
        fail(usage)
    }
} catch {
    fail("wire-bench: \(error)\n")
}
