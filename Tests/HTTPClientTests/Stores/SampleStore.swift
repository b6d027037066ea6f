import ClientSupport
import HTTPClient
import Support
import Testing
import Wire

/// The stores that pass the tests of `CacheStoreTests`.
enum StoreKind: CaseIterable, Sendable {
    case memory
    case directory
    case external

    /// Creates a store.
    ///
    /// A directory counts whole blocks of a disk, so limits of bytes are tested for each store on its own.
    func make(
        in directory: TemporaryDirectory,
        maxEntryBytes: Int = 8 << 20,
        maxVariants: Int = 16
    ) -> any CacheStore {
        switch self {
        case .memory:
            MemoryCacheStore(
                MemoryCacheStore.Limits(
                    maxBytes: 64 << 20,
                    maxEntryBytes: maxEntryBytes,
                    maxVariants: maxVariants
                )
            )
        case .directory:
            DirectoryCacheStore(
                directory.path + "/cache",
                DirectoryCacheStore.Limits(
                    maxBytes: 64 << 20,
                    maxEntryBytes: maxEntryBytes,
                    maxVariants: maxVariants
                )
            )
        case .external:
            ExternalCacheStore(
                MemoryStorage(),
                maxBytes: 64 << 20,
                maxEntryBytes: maxEntryBytes,
                maxVariants: maxVariants
            )
        }
    }
}

extension CacheStore {
    /// Stores a response with the given content.
    @discardableResult
    func put(
        _ uri: String,
        _ content: [UInt8],
        language: String? = nil,
        second: Int = 1000
    ) throws -> CacheEntry {
        let writer = try write(uri, expecting: content.count)
        for start in stride(from: 0, to: content.count, by: 100_000) {
            try writer.append(Array(content[start..<min(start + 100_000, content.count)]))
        }
        return try writer.commit(
            Samples.response(content.count, language: language, second: second)
        )
    }

    /// Returns the content of the only entry of a URI; nil if there is none.
    func only(_ uri: String) throws -> [UInt8]? {
        let entries = try entries(of: uri)
        try #require(entries.count <= 1)
        return try entries.first.flatMap { try open($0) }.map { try $0.bytes() }
    }
}

extension CacheContent {
    /// Reads all bytes.
    func bytes() throws(CacheStoreError) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try read(at: all.count)
            if bytes.isEmpty { return all }
            all += bytes
        }
    }
}

enum Samples {
    /// Returns a whole response, whose variant has a language if one is given.
    static func response(
        _ length: Int,
        language: String? = nil,
        second: Int = 1000,
        _ fields: HTTPHeaders = [:]
    ) -> StoredResponse {
        var headers: HTTPHeaders = ["Content-Length": "\(length)", "ETag": "\"e\"", "X-A": "1"]
        if language != nil { headers.append(.vary, "Accept-Language") }
        headers.merge(fields)
        let request: HTTPHeaders = language.map { ["Accept-Language": $0] } ?? [:]
        return StoredResponse(
            ResponseHead(status: 200, headers: headers),
            variant: CacheVariant(headers, selectedBy: request) ?? CacheVariant(),
            content: .whole(length: length),
            requestTime: HTTPDate(secondsSince1970: second),
            responseTime: HTTPDate(secondsSince1970: second + 1)
        )
    }

    /// Returns bytes that differ at each position within some hundred bytes.
    static func content(_ length: Int, seed: Int = 0) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(length)
        var start = seed % 997
        while content.count < length {
            content += pattern[start...].prefix(length - content.count)
            start = 0
        }
        return content
    }

    private static let pattern = (0..<65_000).map {
        UInt8(truncatingIfNeeded: $0 * 167 + ($0 >> 8))
    }
}
