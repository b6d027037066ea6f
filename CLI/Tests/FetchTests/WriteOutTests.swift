import HTTPClient
import Testing
import fetch

@Suite struct WriteOutTests {
    private var record: TransferRecord {
        var record = TransferRecord()
        record.url = "a"
        record.effectiveURL = "http://a/"
        record.method = "GET"
        record.scheme = "http"
        record.head = ResponseHead(
            status: 200,
            headers: ["Content-Type": "text/plain", "X-A": "1", "x-a": "\"2\""]
        )
        record.downloadedBytes = 3_000_000
        record.total = .milliseconds(1500)
        record.newConnections = 1
        record.remotePort = 80
        record.queued = .milliseconds(2)
        record.sent = .milliseconds(20)
        return record
    }

    private func output(_ format: String) -> String {
        WriteOut(format).render(record).filter { $0.stream == .output }.map(\.text).joined()
    }

    @Test(arguments: [
        ("%{http_code}\\n", "200\n"),
        ("a\\tb\\r%%{x}", "a\tb\r%{x}"),
        ("%{method} %{scheme} %{http_version}", "GET HTTP 1.1"),
        ("%{size_download} %{speed_download}", "3000000 2000000"),
        ("%{time_total} %{time_connect}", "1.500000 0.000000"),
        ("%{time_queue} %{time_posttransfer}", "0.002000 0.020000"),
        ("%{remote_ip}:%{remote_port}", ":80"),
        ("%header{x-A}|%header{none}|", "1||"),
        ("%{exitcode}%{errormsg}", "0"),
        ("%x \\q % \\", "%x \\q % \\"),
        ("%{open", "%{open"),
        ("%header{open", "%header{open"),
        ("%{stderr}a%{stdout}b", "b"),
        ("a%{onerror}b", "a"),
        ("%{header_json}", "{\"content-type\":[\"text/plain\"],\n\"x-a\":[\"1\",\"\\\"2\\\"\"]\n}"),
    ])
    func `a write-out format is rendered with its variables`(format: String, expected: String) {
        #expect(output(format) == expected)
    }

    @Test func `an unknown write-out variable prints a warning and the rest`() {
        #expect(
            WriteOut("a%{nope}b").render(record) == [
                .init(.output, "a"),
                .init(.errors, "fetch: unknown --write-out variable: 'nope'\n"),
                .init(.output, "b"),
            ]
        )
    }

    @Test func `a failed transfer prints zeros and its error`() {
        var record = TransferRecord()
        record.failure = FetchError(.notConnected, "no \"way\"")
        let text = WriteOut("%{http_code} %{exitcode} %{errormsg}%{onerror}!").render(record)
        #expect(text.map(\.text).joined() == "000 7 no \"way\"!")
    }

    @Test func `the JSON of --write-out contains the variables`() {
        let json = output("%{json}")
        #expect(
            json.hasPrefix(
                "{\"cache_status\":null,\"content_type\":\"text/plain\",\"errormsg\":null,\"exitcode\":0,"
            )
        )
        #expect(json.contains("\"http_code\":200,"))
        #expect(json.contains("\"time_total\":1.500000,"))
        #expect(json.hasSuffix("}"))
    }

    @Test(arguments: [
        ("a\"\\b", "\"a\\\"\\\\b\""), ("\r\n\t\u{1}\u{7F}é", "\"\\r\\n\\t\\u0001\u{7F}é\""),
    ])
    func `JSON strings are escaped`(text: String, expected: String) {
        #expect(JSONText.quoted(Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"),
    ])
    func `Base64 has the vectors of RFC 4648`(text: String, expected: String) {
        #expect(Base64.encode(Array(text.utf8)) == expected)
    }
}
