// Downloads a file over up to four connections, with a progress bar for each part. Press Ctrl-C, kill the process, or
// cut the power: the same command continues where it stopped, as long as the server identifies the file (ETag).
//
//     swift run --package-path Examples Downloader https://example.com/big.iso            to ./big.iso
//     swift run --package-path Examples Downloader https://example.com/big.iso /srv/a.iso [sha256:…]
import Glibc
import HTTPClient

/// A bar such as `[#####.....]`.
func bar(_ fraction: Double) -> String {
    let filled = Int(fraction * 30)
    return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
        + "]"
}

/// One line for the whole file, and one for each part that a connection downloads.
func lines(_ progress: HTTPProgress) -> [String] {
    let received = megabytes(progress.completed)
    guard let total = progress.total, let fraction = progress.fraction else {
        return ["\(received) MB"]
    }
    let percent = Int(fraction * 100)
    let whole = "\(bar(fraction)) \(percent) %  \(received) of \(megabytes(total)) MB"
    return [whole]
        + progress.segments.map { segment in
            let range = segment.range
            let place = "\(megabytes(range.lowerBound)) to \(megabytes(range.upperBound)) MB"
            return "  \(bar(segment.fraction)) \(place)"
        }
}

func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000).\(bytes / 100_000 % 10)" }

func fail(_ text: String) -> Never {
    print(text)
    exit(1)
}

let arguments = CommandLine.arguments.dropFirst()
guard let url = arguments.first else { fail("usage: Downloader URL [FILE [sha256:DIGITS]]") }
let name = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last.map(String.init)
let path = arguments.dropFirst().first ?? name ?? "download"

// The journal beside the partial file is what the next run continues from.
var options = HTTPDownloadOptions(journal: .on, segments: .upTo(4))
if let digest = arguments.dropFirst(2).first {
    do {
        options.expectedDigest = try HTTPDigest(digest)
    } catch {
        fail("\(error)")
    }
}

// A lost connection continues inside this run, after a growing delay.
let request = HTTPRequest(url).retries(.standard(maxRetries: 10))
let call = HTTPClient.shared.startDownload(request, to: path, options: options)
let isTerminal = isatty(STDOUT_FILENO) == 1
call.onProgress { progress in
    guard progress.direction == .download else { return }
    let lines = lines(progress)
    // The lines replace those before them: clear to the end of the screen, then go back up.
    let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A\r" : "\r"
    let text = lines.joined(separator: "\n")
    print(isTerminal ? "\u{1B}[J\(text)\(up)" : "\(text)\n", terminator: "")
    fflush(nil)
}
do {
    let file = try await call.value
    print("\n\(file.path): \(file.size) bytes, \(file.resumedOffset) of them from an earlier run")
} catch {
    fail("\n\(error)\nThe same command continues the download.")
}
