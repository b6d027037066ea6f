import Support
import Wire

/// The result of decoding a head at one strictness level, the same for every split.
struct DecodedHead: Equatable {
    var request: RequestHead?
    var response: ResponseHead?
    var diagnostics: [Diagnostic] = []
    var raw: RawHead?
    var rest: [UInt8]?
    var error: WireError?

    /// The kind of a head.
    enum Role: CaseIterable {
        case request
        case response
    }

    init(
        _ pieces: [[UInt8]],
        _ role: Role,
        _ strictness: Strictness,
        limits: WireLimits = .default
    ) {
        do {
            switch role {
            case .request: try readRequest(pieces, strictness, limits)
            case .response: try readResponse(pieces, strictness, limits)
            }
        } catch {
            self.error = error as? WireError
        }
    }

    init(_ text: String, _ role: Role, _ strictness: Strictness) {
        self.init([Array(text.utf8)], role, strictness)
    }

    /// The fields as text.
    var fields: [String] {
        (request?.headers ?? response?.headers ?? [:]).map { "\($0.name): \($0.value)" }
    }

    /// The code and offset of each diagnostic, such as `bareLineFeed@15`.
    var notes: [String] { diagnostics.map { "\($0.code.rawValue)@\($0.offset)" } }

    private mutating func readRequest(
        _ pieces: [[UInt8]],
        _ strictness: Strictness,
        _ limits: WireLimits
    ) throws {
        var decoder = RequestHeadDecoder(limits: limits, strictness: strictness)
        defer {
            diagnostics = decoder.diagnostics
            raw = decoder.rawHead
        }
        rest = try ByteSplits.feed(pieces) { input in
            let step = try decoder.decode(input)
            request = step.head
            return .init(consumed: step.consumed, next: step.head == nil ? .whenMore : .done)
        }
    }

    private mutating func readResponse(
        _ pieces: [[UInt8]],
        _ strictness: Strictness,
        _ limits: WireLimits
    ) throws {
        var decoder = ResponseHeadDecoder(limits: limits, strictness: strictness)
        defer {
            diagnostics = decoder.diagnostics
            raw = decoder.rawHead
        }
        rest = try ByteSplits.feed(pieces) { input in
            let step = try decoder.decode(input)
            response = step.head
            return .init(consumed: step.consumed, next: step.head == nil ? .whenMore : .done)
        }
    }
}
