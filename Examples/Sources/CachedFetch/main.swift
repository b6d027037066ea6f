// Prints the body of a URL, and keeps the response in a directory for the next run. The status of the cache goes to
// standard error; the exit code is 1 if there is no body to print.
//
//     swift run --package-path Examples CachedFetch https://example.com/ /var/tmp/pages
//     swift run --package-path Examples CachedFetch --offline https://example.com/ /var/tmp/pages
import Foundation
import HTTPClient

func report(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}

var arguments = Array(CommandLine.arguments.dropFirst())
let isOffline = arguments.first == "--offline"
if isOffline { arguments.removeFirst() }
guard arguments.count == 2 else {
    report("usage: CachedFetch [--offline] URL DIRECTORY")
    exit(1)
}

do throws(HTTPError) {
    // Several processes can use the directory at the same time.
    let cache = try HTTPCache(directory: arguments[1], maxBytes: 256 << 20)
    let client = HTTPClient { $0.cache = .cache(cache) }
    var request = HTTPRequest(arguments[0])
    // `.forceCache` would ask the origin if nothing is stored; this mode never does.
    if isOffline { request.cacheMode = .onlyIfCached }

    // The body is printed as it arrives, and stored at the same time.
    let response = try await client.stream(request)
    report(response.cacheStatus?.description ?? "no cache")
    if response.cacheStatus?.outcome == .unavailable {
        report("not stored: \(request.url)")
        exit(1)
    }
    try await response.requireSuccess().write(toDescriptor: STDOUT_FILENO)
    // The client acts as without a cache if the directory cannot be used.
    if let error = cache.lastError { report("the cache failed: \(error)") }
} catch {
    report("failed: \(error)")
    exit(1)
}
