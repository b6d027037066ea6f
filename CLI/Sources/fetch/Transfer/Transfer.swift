internal import HTTPClient

/// Carries out the transfer of one URL and notes what happened.
struct Transfer {
    let client: HTTPClient
    let settings: Settings
    let console: Console
    let url: TargetURL
    let destination: Destination
    /// What is asked for when some is there already; nil for all.
    private(set) var rest: Continuation?
    var record: TransferRecord
    /// What shows how far it is; nil for nothing.
    var display: ProgressDisplay?
    /// How long to wait before the transfer is made again; nil when this is its end.
    let wait: (RetryRule.Outcome) -> Duration?
    private(set) var repeatsAfter: Duration?

    init(
        _ url: TargetURL,
        by client: HTTPClient,
        _ settings: Settings,
        _ console: Console,
        to destination: Destination,
        rest: Continuation?,
        record: TransferRecord,
        wait: @escaping (RetryRule.Outcome) -> Duration?
    ) {
        self.client = client
        self.settings = settings
        self.console = console
        self.url = url
        self.destination = destination
        self.rest = rest
        self.record = record
        self.wait = wait
    }

    /// Asks, writes heads and body where they belong, and leaves the outcome in ``record``.
    mutating func run() async {
        record.effectiveURL = url.text
        record.fileName = destination.path
        record.method = settings.plan.method.rawValue
        record.uploadedBytes = settings.plan.body?.length ?? 0
        do throws(Failure) {
            try await exchange()
        } catch {
            record.failure = error
            console.fact(error.message)
            // A status that is no failure to anybody else has been asked about by then.
            if record.head == nil || error.code != .rejectedStatus {
                repeatsAfter = wait(RetryRule.Outcome(code: error.code))
            }
            if repeatsAfter != nil { takeBack() }
        }
    }

    /// Makes room for what the next try brings; there is none when that cannot be.
    private mutating func takeBack() {
        do throws(Failure) {
            if try !destination.takeBack() { repeatsAfter = nil }
        } catch {
            repeatsAfter = nil
            record.failure = error
        }
    }

    private mutating func exchange() async throws(Failure) {
        let began = ContinuousClock.now
        _ = settings.keeper.takeRecord()
        let response: HTTPStreamedResponse
        let request = settings.plan.request(
            for: url,
            rest: rest,
            authentication: settings.identity.authentication(for: url)
        )
        do throws(HTTPError) {
            if let display {
                response = try await client.stream(request, onUpload: display.take)
            } else {
                response = try await client.stream(request)
            }
        } catch {
            let failure = failure(error)
            try writeHeads(noteWay(to: error), alsoToDestination: true)
            throw failure
        }
        let heads = note(response)
        let part = verdict(response)
        if part != .complete { repeatsAfter = wait(outcome(response)) }
        let isShown = part != .complete && (repeatsAfter == nil || destination.path == nil)
        try writeHeads(heads, alsoToDestination: isShown)
        guard repeatsAfter == nil, part != .complete else {
            // What cannot be taken back is shown, as curl does; all else is for nobody, and dropping it
            // keeps the connection when it is short.
            guard isShown, settings.statusRule != .fail, !settings.asksForHead else { return }
            try await writeBody(response, nil, from: began)
            return destination.keep()
        }
        if response.status.code >= 400, settings.statusRule == .fail {
            throw rejected(response)
        }
        let octets = try octetsOfRest(part)
        guard !missesTimeCondition(response) else {
            record.missesTimeCondition = true
            console.fact("The document does not meet the time condition")
            return try destination.finish(.leavesFile)
        }
        if !settings.asksForHead || settings.plan.method == .head {
            try await writeBody(response, octets, from: began)
        }
        if response.status.code >= 400, settings.statusRule == .failWithBody {
            try destination.finish(.leavesFile)
            throw rejected(response)
        }
        try destination.finish(response.status == .notModified ? .leavesFile : .makesFile)
        try saveTag(response)
    }

    /// Judges the date of a document, as servers may not have; a part of one is not judged.
    private func missesTimeCondition(_ response: HTTPStreamedResponse) -> Bool {
        guard let condition = settings.timeCondition, rest == nil, settings.plan.method != .head,
            response.status.kind == .successful, !settings.plan.headers.contains(.range),
            let changed = response.headers[.lastModified].flatMap({ HTTPDate($0) })
        else { return false }
        return !condition.isMet(by: changed)
    }

    // MARK: - The rest

    /// Judges an answer by what is there already; nil when that is nothing, or no body comes.
    private func verdict(_ response: HTTPStreamedResponse) -> Continuation.Verdict? {
        guard settings.plan.method != .head, let rest else { return nil }
        let verdict = rest.settle(response.status, response.headers)
        guard case .rest = verdict, response.headers.contains(.contentEncoding),
            settings.configuration.decompression == .on
        else { return verdict }
        return .refused(reason: "the rest is coded, and cannot be decoded without the start")
    }

    /// Refuses an answer that is not the rest.
    ///
    /// - Returns: how long its body must be; nil when all was asked for.
    private mutating func octetsOfRest(_ part: Continuation.Verdict?) throws(Failure) -> Int? {
        switch part {
        case nil, .complete: return nil
        case .rest(let octets):
            if let head = record.head { rest?.remember(head.headers) }
            return octets
        case .refused(let reason): throw Failure(.rangeRefused, "Cannot resume: \(reason)")
        case .other:
            let status = record.head?.status.code ?? 0
            throw Failure(.rangeRefused, "Cannot resume: the server answered \(status)")
        }
    }

    /// Leaves what was there as it was when more came than was said.
    private func refuseSurplus() throws(Failure) -> Never {
        _ = try destination.takeBack()
        throw Failure(.rangeRefused, "Cannot resume: the server sends more than it says")
    }

    // MARK: - Head

    /// - Returns: every head that was received, in order.
    private mutating func note(_ response: HTTPStreamedResponse) -> [ResponseHead] {
        let way = settings.keeper.takeRecord()
        record.head = response.head
        record.redirects = response.redirects.count
        if !response.redirects.isEmpty { record.effectiveURL = response.url.text }
        if response.metrics.tunnelled != nil {
            record.connectStatus = response.proxyHeads.last?.status.code ?? 0
        }
        record.headBytes = way.heads.reduce(0) { $0 + $1.rawBytes.count }
        take(response.metrics)
        record.redirectURL = Self.target(of: response.head, from: response.url)
        return way.heads
    }

    /// Notes how far a transfer came that has no answer in the end.
    ///
    /// - Returns: every head that was received, in order.
    private mutating func noteWay(to error: HTTPError) -> [ResponseHead] {
        let way = settings.keeper.takeRecord()
        record.head = error.head ?? way.answer
        record.redirects = way.redirects.count
        record.headBytes = way.heads.reduce(0) { $0 + $1.rawBytes.count }
        if let last = way.redirects.last { record.effectiveURL = last.location.text }
        guard case .redirectFailed(let problem) = error.kind else { return way.heads }
        if case .tooMany = problem {
            let asked = way.redirects.last?.location ?? url.uri
            record.redirectURL = record.head.flatMap { Self.target(of: $0, from: asked) }
        } else {
            // As curl counts: it is over the edge when it sees where it leads.
            record.redirects += 1
        }
        return way.heads
    }

    /// Where an answer leads; nil for nowhere.
    private static func target(of head: ResponseHead, from url: URI) -> String? {
        let field = head.headers.first { FieldName($0.name) == .location && !$0.value.isEmpty }
        guard (300...399).contains(head.status.code), let field else { return nil }
        let ascii = field.valueBytes.map { byte in
            byte < 0x80
                ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
        // As curl: what is no URL is shown as it is.
        guard let reference = try? URI(percentEncoding: ascii.joined()) else { return field.value }
        return url.resolve(reference).text
    }

    /// Writes the entity tag, if there is one and the response is no refusal.
    ///
    /// Not before the body is complete: with the tag of a body that broke off, `--etag-compare` would
    /// never fetch the rest.
    private func saveTag(_ response: HTTPStreamedResponse) throws(Failure) {
        guard let path = settings.tagFile, (200...399).contains(response.status.code),
            let tag = response.headers[.etag]
        else { return }
        let file = Destination(path)
        try file.write(Array((tag + "\n").utf8))
        try file.finish()
    }

    private func outcome(_ response: HTTPStreamedResponse) -> RetryRule.Outcome {
        let isFailure = response.status.code >= 400 && settings.statusRule != .accept
        let now = SystemFile.now
        let asked = response.headers[.retryAfter].flatMap { RetryAfter($0, now: now) }
        return RetryRule.Outcome(
            code: isFailure ? .rejectedStatus : .done,
            status: response.status,
            asked: asked.map { .seconds(min($0.delay(from: now), 1 << 40)) }
        )
    }

    private func writeHeads(
        _ heads: [ResponseHead],
        alsoToDestination: Bool
    ) throws(Failure) {
        for head in heads {
            let bytes = Self.withoutBareReturns(head.rawBytes)
            try settings.dump?.write(bytes)
            if settings.includesHeads, alsoToDestination { try destination.write(bytes) }
        }
        destination.keep()
    }

    /// Replaces each CR without LF by a space: what forwards it must not pass it on (RFC 9112 §2.2).
    private static func withoutBareReturns(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for index in bytes.indices where bytes[index] == 0x0D {
            if index + 1 == bytes.count || bytes[index + 1] != 0x0A { bytes[index] = 0x20 }
        }
        return bytes
    }

    private func rejected(_ response: HTTPStreamedResponse) -> Failure {
        Failure(
            .rejectedStatus,
            "The requested URL returned error: \(response.status.code)"
        )
    }

    // MARK: - Body

    private mutating func writeBody(
        _ response: HTTPStreamedResponse,
        _ wanted: Int?,
        from began: ContinuousClock.Instant
    ) async throws(Failure) {
        if let maximum = settings.maximum, settings.plan.method != .head,
            settings.configuration.lengthUse == .trusted,
            let announced = response.headers[.contentLength].flatMap({
                Decimal.value(of: $0.utf8)
            }), announced > maximum
        {
            throw tooLarge
        }
        var octets = 0
        let bodyBegan = ContinuousClock.now
        let total = wanted ?? announced(response)
        display?.take(received: 0, of: total)
        var body = response.body.makeAsyncIterator()
        while true {
            let chunk: [UInt8]?
            do throws(HTTPError) {
                chunk = try await body.next()
            } catch {
                throw failure(error)
            }
            guard let chunk else { break }
            octets += chunk.count
            record.downloadedBytes = octets
            if let maximum = settings.maximum, octets > maximum { throw tooLarge }
            if let wanted, octets > wanted { try refuseSurplus() }
            console.received(content: chunk)
            try destination.write(chunk)
            display?.take(received: octets, of: total)
            await slowDown(octets, since: bodyBegan, from: began)
            // Data that never stops coming never waits, so the client's deadline may not be seen.
            if let maxTime = settings.maxTime, .now - began > maxTime {
                throw Failure(.timedOut, "Operation timed out with \(octets) octets received")
            }
        }
        take(response.metrics)
        if settings.configuration.strictness == .forensic {
            console.deviations(response.deviations.filter { $0.part == .body })
        }
        if let wanted, octets < wanted {
            throw Failure(.partialBody, "\(wanted - octets) octets of the rest are missing")
        }
        try writeTrailers(response)
        console.fact(
            "Connection #\(response.metrics.connectionID) to host \(url.origin.host) done"
        )
    }

    /// Says how many octets the body will have; nil when nobody knows, or they are decoded.
    private func announced(_ response: HTTPStreamedResponse) -> Int? {
        let headers = response.headers
        if settings.plan.method == .head { return 0 }
        guard !headers.contains(.transferEncoding), settings.configuration.lengthUse == .trusted,
            !(headers.contains(.contentEncoding) && settings.configuration.decompression == .on)
        else { return nil }
        return headers[.contentLength].flatMap { Decimal.value(of: $0.utf8) }
    }

    /// Waits until so many octets may have come; what comes meanwhile stays with the peer.
    private func slowDown(
        _ octets: Int,
        since bodyBegan: ContinuousClock.Instant,
        from began: ContinuousClock.Instant
    ) async {
        guard let rate = settings.rate else { return }
        var due = bodyBegan + .seconds(Double(octets) / Double(rate))
        if let maxTime = settings.maxTime { due = min(due, began + maxTime) }
        // Nobody cancels the task: the sleep is never cut short.
        try? await Task.sleep(until: due, clock: .continuous)
    }

    /// Writes trailers where heads go, as curl does.
    private mutating func writeTrailers(_ response: HTTPStreamedResponse) throws(Failure) {
        for field in response.trailers ?? [:] {
            let line = Array(field.name.utf8) + Array(": ".utf8) + field.valueBytes + [0x0D, 0x0A]
            record.headBytes += line.count
            console.received(head: line)
            try settings.dump?.write(line)
            if settings.includesHeads { try destination.write(line) }
        }
    }

    private var tooLarge: Failure { Failure(.tooLarge, "Maximum file size exceeded") }

    // MARK: - Facts

    private mutating func failure(_ error: HTTPError) -> Failure {
        take(error.metrics)
        if case .proxyFailed(.refused(let refusal)) = error.kind {
            record.connectStatus = refusal.status.code
        }
        var message = error.kind.description
        if error.isReadableLeniently { message += "; it is read with --lenient" }
        return Failure(ExitCode(error), message, label: error.kind.label)
    }

    private mutating func take(_ metrics: HTTPMetrics) {
        record.take(metrics)
        if metrics.connectionID != 0 { record.scheme = url.origin.scheme.rawValue }
    }
}
