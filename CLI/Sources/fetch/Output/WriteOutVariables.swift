internal import HTTPClient

/// The `--write-out` variables and their values.
enum WriteOutVariables {
    /// All variables with a value, in the order in which JSON lists them.
    static let names = [
        "cache_status", "content_type", "errormsg", "exitcode", "filename_effective", "http_code",
        "http_connect",
        "http_version",
        "local_ip", "local_port", "method", "num_connects", "num_headers", "num_redirects",
        "num_retries", "redirect_url", "remote_ip", "remote_port", "response_code", "scheme",
        "size_download",
        "size_header", "size_request", "size_upload", "speed_download", "speed_upload",
        "time_appconnect", "time_connect", "time_namelookup", "time_posttransfer",
        "time_pretransfer", "time_queue", "time_redirect", "time_starttransfer", "time_total",
        "url",
        "url_effective", "urlnum",
    ]

    /// Returns the value of a variable; nil for an unknown one.
    static func value(of name: String, in record: TransferRecord) -> WriteOutValue? {
        timing(name, record) ?? size(name, record) ?? peer(name, record) ?? message(name, record)
    }

    /// Formats all variables as one object.
    static func json(_ record: TransferRecord) -> String {
        var members = names.compactMap { name in
            value(of: name, in: record).map { "\"\(name)\":\($0.json)" }
        }
        members.append("\"fetch_version\":\"\(Version.number)\"")
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func timing(_ name: String, _ record: TransferRecord) -> WriteOutValue? {
        switch name {
        case "time_namelookup": .time(record.resolved)
        case "time_connect": .time(record.connected)
        case "time_appconnect": .time(record.secured)
        case "time_pretransfer": .time(record.leased)
        case "time_posttransfer": .time(record.sent)
        case "time_queue": .time(record.queued)
        case "time_redirect": .time(record.redirected)
        case "time_starttransfer": .time(record.firstByte)
        case "time_total": .time(record.total)
        case "speed_download": .number(rate(record.downloadedBytes, record.total))
        case "speed_upload": .number(rate(record.uploadedBytes, record.total))
        default: nil
        }
    }

    private static func size(_ name: String, _ record: TransferRecord) -> WriteOutValue? {
        switch name {
        case "size_download": .number(record.downloadedBytes)
        case "size_header": .number(record.headBytes)
        case "size_request": .number(record.requestBytes)
        case "size_upload": .number(record.uploadedBytes)
        case "num_connects": .number(record.newConnections)
        case "num_headers": .number(record.head?.headers.count ?? 0)
        case "num_redirects": .number(record.redirects)
        case "num_retries": .number(record.retries)
        case "urlnum": .number(record.urlNumber)
        case "exitcode": .number(Int(record.failure?.code.number ?? 0))
        default: nil
        }
    }

    private static func peer(_ name: String, _ record: TransferRecord) -> WriteOutValue? {
        switch name {
        case "remote_ip": .text(record.remoteAddress ?? "")
        case "remote_port": .number(record.remotePort ?? 0)
        case "local_ip": .text(record.localAddress ?? "")
        case "local_port": .number(record.localPort ?? 0)
        case "scheme": .text(record.scheme.map(\.uppercased))
        default: nil
        }
    }

    private static func message(_ name: String, _ record: TransferRecord) -> WriteOutValue? {
        switch name {
        // As in curl, a response that does not meet the time condition counts as not modified.
        case "http_code", "response_code":
            .status(record.failsTimeCondition ? 304 : record.head?.status.code ?? 0)
        case "http_connect": .status(record.connectStatus)
        case "http_version": .text(version(record))
        case "cache_status": .text(record.cacheStatus?.description)
        case "content_type": .text(record.head?.headers[.contentType])
        case "method": .text(record.method)
        case "url": .text(record.url)
        case "url_effective": .text(record.effectiveURL)
        case "redirect_url": .text(record.redirectURL)
        case "filename_effective": .text(record.fileName)
        case "errormsg": .text(record.failure?.message)
        default: nil
        }
    }

    private static func version(_ record: TransferRecord) -> String {
        guard let version = record.head?.version else { return "0" }
        return "\(version.major).\(version.minor)"
    }

    /// Returns the bytes per second.
    private static func rate(_ bytes: Int, _ time: Duration) -> Int {
        let (seconds, attoseconds) = time.components
        let exact = Double(seconds) + Double(attoseconds) * 1e-18
        return exact > 0 ? Int(min(Double(bytes) / exact, 9e18)) : 0
    }
}

extension String {
    /// The text with its ASCII letters in uppercase.
    fileprivate var uppercased: String {
        String(decoding: utf8.map { (97...122).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
    }
}
