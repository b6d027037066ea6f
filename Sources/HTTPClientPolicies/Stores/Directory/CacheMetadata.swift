internal import Wire

/// The entries of a URI, as a file of a ``DirectoryCacheStore``.
///
/// Numbers are big-endian, and texts and bytes follow their counts. The last 32 bytes are the SHA-256 of the others, so
/// a file that was torn by a power failure is not used. The format has a version in its first bytes; a change of it
/// also needs a new name of the subdirectory (``CacheDirectory``).
package struct CacheMetadata: Equatable {
    /// The maximum number of bytes of a file.
    package static let maxLength = 1 << 20
    private static let magic = Array("HTTPCACHE1".utf8)

    var uri: String
    /// The entries, the oldest first.
    var entries: [CacheEntry]

    package init(uri: String, entries: [CacheEntry]) {
        self.uri = uri
        self.entries = entries
    }

    // MARK: - Encoding

    /// Returns the bytes of the file.
    ///
    /// - Throws: `.invalidField` if the result could not be decoded; `.tooLarge`.
    package func encoded() throws(CacheStoreError) -> [UInt8] {
        var bytes = ByteEncoder()
        bytes.append(raw: Self.magic)
        guard bytes.append(long: uri.utf8) else { throw .tooLarge(limit: Self.maxLength) }
        bytes.append(UInt32(clamping: entries.count))
        for entry in entries {
            guard Self.append(entry, to: &bytes) else { throw .invalidField }
        }
        let digest = try CacheSeal.digest(bytes.bytes)
        bytes.append(raw: digest)
        assert(
            bytes.bytes.count
                == entries.reduce(emptyLength) { $0 + Self.encodedLength(of: $1) }
        )
        guard bytes.bytes.count <= Self.maxLength else { throw .tooLarge(limit: Self.maxLength) }
        return bytes.bytes
    }

    /// The number of bytes of the file without an entry.
    var emptyLength: Int {
        Self.magic.count + 2 * MemoryLayout<UInt32>.size + uri.utf8.count + CacheSeal.digestLength
    }

    /// Returns the number of bytes that an entry has in the file.
    static func encodedLength(of entry: CacheEntry) -> Int {
        var bytes = ByteEncoder()
        _ = append(entry, to: &bytes)
        return bytes.bytes.count
    }

    /// Appends an entry; returns false if it has a field that cannot be decoded.
    private static func append(_ entry: CacheEntry, to bytes: inout ByteEncoder) -> Bool {
        let response = entry.response
        bytes.append(entry.number)
        bytes.append(raw: entry.seal)
        switch response.content {
        case .whole(let length):
            bytes.append(UInt8(0))
            bytes.append(UInt64(clamping: length))
        case .part(let positions, let length):
            bytes.append(UInt8(1))
            bytes.append(UInt64(clamping: positions.lowerBound))
            bytes.append(UInt64(clamping: positions.upperBound))
            bytes.append(UInt64(clamping: length))
        }
        for date in [response.requestTime, response.responseTime] {
            bytes.append(UInt64(bitPattern: Int64(date.secondsSince1970)))
        }
        return append(response.head, to: &bytes) && append(response.variant, to: &bytes)
    }

    private static func append(_ head: ResponseHead, to bytes: inout ByteEncoder) -> Bool {
        bytes.append(head.version.major)
        bytes.append(head.version.minor)
        bytes.append(UInt16(clamping: head.status.code))
        guard bytes.append(short: head.reason.utf8) else { return false }
        bytes.append(UInt32(clamping: head.headers.count))
        return head.headers.allSatisfy { field in
            isStorable(FieldName(field.name), field.valueBytes)
                && bytes.append(short: field.nameBytes) && bytes.append(long: field.valueBytes)
        }
    }

    private static func append(_ variant: CacheVariant, to bytes: inout ByteEncoder) -> Bool {
        bytes.append(UInt32(clamping: variant.selectors.count))
        return variant.selectors.allSatisfy { selector in
            guard selector.name.isToken, bytes.append(short: selector.name.rawName.utf8) else {
                return false
            }
            bytes.append(UInt8(selector.value == nil ? 0 : 1))
            return selector.value.map { bytes.append(long: $0.utf8) } ?? true
        }
    }

    /// Returns whether a field may be in a message: only such a field is written and accepted.
    private static func isStorable(_ name: FieldName, _ value: [UInt8]) -> Bool {
        name.isToken && !value.contains { $0 == 0 || $0 == 10 || $0 == 13 }
    }

    // MARK: - Decoding

    /// Decodes a file; returns nil if it was damaged, or has another format.
    package init?(decoding file: [UInt8]) {
        let length = file.count - CacheSeal.digestLength
        guard length >= 0, file.count <= Self.maxLength else { return nil }
        let content = Array(file[..<length])
        guard let digest = try? CacheSeal.digest(content), digest.elementsEqual(file[length...])
        else { return nil }
        var bytes = ByteDecoder(content)
        guard bytes.bytes(Self.magic.count) == Self.magic, let uri = bytes.longText(),
            let count = bytes.integer(UInt32.self)
        else { return nil }
        self.uri = uri
        entries = []
        // Each step takes bytes or fails, so a large count ends early.
        for _ in 0..<count {
            guard let entry = Self.entry(of: uri, &bytes) else { return nil }
            entries.append(entry)
        }
        guard bytes.rest == 0 else { return nil }
    }

    private static func entry(of uri: String, _ bytes: inout ByteDecoder) -> CacheEntry? {
        guard let number = bytes.integer(UInt64.self),
            let seal = bytes.bytes(CacheSeal.digestLength),
            let content = content(&bytes),
            let requestTime = date(&bytes), let responseTime = date(&bytes),
            let head = head(&bytes), let variant = variant(&bytes)
        else { return nil }
        let response = StoredResponse(
            head,
            variant: variant,
            content: content,
            requestTime: requestTime,
            responseTime: responseTime
        )
        return CacheEntry(uri: uri, number: number, response: response, seal: seal)
    }

    private static func content(_ bytes: inout ByteDecoder) -> StoredResponse.Content? {
        switch bytes.integer(UInt8.self) {
        case 0: return bytes.count().map { .whole(length: $0) }
        case 1:
            guard let first = bytes.count(), let last = bytes.count(), let length = bytes.count(),
                first <= last, last < length
            else { return nil }
            return .part(first...last, of: length)
        default: return nil
        }
    }

    private static func date(_ bytes: inout ByteDecoder) -> HTTPDate? {
        bytes.integer(UInt64.self).map {
            HTTPDate(secondsSince1970: Int(Int64(bitPattern: $0)))
        }
    }

    private static func head(_ bytes: inout ByteDecoder) -> ResponseHead? {
        guard let major = bytes.integer(UInt8.self), let minor = bytes.integer(UInt8.self),
            major <= 9, minor <= 9,
            let code = bytes.integer(UInt16.self), let reason = bytes.shortText(),
            let count = bytes.integer(UInt32.self)
        else { return nil }
        var headers: HTTPHeaders = [:]
        for _ in 0..<count {
            guard let text = bytes.shortText(), let value = bytes.longBytes() else { return nil }
            let name = FieldName(text)
            guard isStorable(name, value) else { return nil }
            headers.append(name, bytes: value)
        }
        let status = HTTPStatus(Int(code))
        return ResponseHead(
            version: HTTPVersion(major: major, minor: minor),
            status: status,
            reason: reason == status.reasonPhrase ? nil : reason,
            headers: headers
        )
    }

    private static func variant(_ bytes: inout ByteDecoder) -> CacheVariant? {
        guard let count = bytes.integer(UInt32.self) else { return nil }
        var selectors: [CacheVariant.Selector] = []
        for _ in 0..<count {
            guard let text = bytes.shortText(), let kind = bytes.integer(UInt8.self), kind <= 1
            else { return nil }
            var value: String?
            if kind == 1 {
                guard let text = bytes.longText() else { return nil }
                value = text
            }
            let name = FieldName(text)
            guard name.isToken else { return nil }
            selectors.append(CacheVariant.Selector(name: name, value: value))
        }
        return CacheVariant(selectors)
    }
}
