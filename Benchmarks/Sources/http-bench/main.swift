import Glibc

// http-bench MODE URL N C [--on-loop | --blocking]
//
// Sends N requests over C connections and prints one line of figures. It is a separate program,
// like `floor` and the drivers of the peers, so that two of them can be run in turn and compared.

let usage = """
    usage: http-bench get|fetch|bare|close|origins|idle|down|save|segments|up|events|lines|json URL N C [--on-loop | --blocking]
      get    keep-alive GET, body collected      close  a new connection for each request
      fetch  as get, the request made of text    bare   as get, the engine's part alone
      origins  as get, each request to the next of 10 000 ports, from that of the URL
      idle   opens C connections with N = C requests, and measures them while they are idle
      down   body streamed and discarded         save   body written to the file named by SAVE
      segments  download into the file named by SAVE, in parts over C connections
      up     PUT of the file named by UPLOAD
      events Server-Sent Events of the body     lines  its lines     json   its NDJSON values
    environment: CA=file trusts its certificates, VERIFY=0 verifies nothing,
      RESUME=0 resumes no TLS session, POLICIES=1 judges, observes and sends a cookie,
      CACHE=memory stores responses, CACHE=directory too and removes stored ones first

    """

func fail(_ message: String) -> Never {
    printError(message)
    exit(2)
}

var arguments = Array(CommandLine.arguments.dropFirst())
let onLoop = arguments.contains("--on-loop")
let blocking = arguments.contains("--blocking")
arguments.removeAll { $0 == "--on-loop" || $0 == "--blocking" }
guard arguments.count == 4, let mode = Mode(rawValue: arguments[0]),
    let count = Int(arguments[2]), let concurrency = Int(arguments[3]), count > 0, concurrency > 0
else {
    fail(usage)
}

let bench = Bench(
    mode: mode,
    url: arguments[1],
    count: count,
    concurrency: concurrency,
    path: blocking ? .blocking : onLoop ? .loop : .globalExecutor
)
bench.run()
