/// A limit that a message exceeded, with the value that applied.
public enum ExceededLimit: Sendable, Hashable {
    /// ``WireLimits/headBytes``, in bytes.
    case headBytes(Int)
    /// ``WireLimits/requestLineBytes``, in bytes.
    case requestLineBytes(Int)
    /// ``WireLimits/fieldCount``.
    case fieldCount(Int)
    /// ``WireLimits/informationalCount``.
    case informationalCount(Int)
    /// ``WireLimits/chunkLineBytes``, in bytes.
    case chunkLineBytes(Int)
    /// ``WireLimits/chunkExtensionBytes``, in bytes.
    case chunkExtensionBytes(Int)
    /// ``WireLimits/trailerBytes``, in bytes.
    case trailerBytes(Int)
    /// ``WireLimits/trailerCount``.
    case trailerCount(Int)
    /// ``WireLimits/requestBodyBytes``, in bytes.
    case requestBodyBytes(Int)
    /// ``WireLimits/decodedBytes``, in bytes.
    case decodedBytes(Int)
    /// ``WireLimits/expansionRatio``.
    case expansionRatio(Int)
    /// ``WireLimits/codingOverheadBytes``.
    case codingOverheadBytes(Int)
    /// ``WireLimits/codingCount``.
    case codingCount(Int)
}
