/// Names the limit that a message went beyond, with the value that was in force.
public enum ExceededLimit: Sendable, Hashable {
    /// ``WireLimits/headBytes``, in octets.
    case headBytes(Int)
    /// ``WireLimits/requestLineBytes``, in octets.
    case requestLineBytes(Int)
    /// ``WireLimits/fieldCount``.
    case fieldCount(Int)
    /// ``WireLimits/informationalCount``.
    case informationalCount(Int)
    /// ``WireLimits/chunkLineBytes``, in octets.
    case chunkLineBytes(Int)
    /// ``WireLimits/chunkExtensionBytes``, in octets.
    case chunkExtensionBytes(Int)
    /// ``WireLimits/trailerBytes``, in octets.
    case trailerBytes(Int)
    /// ``WireLimits/trailerCount``.
    case trailerCount(Int)
    /// ``WireLimits/requestBodyBytes``, in octets.
    case requestBodyBytes(Int)
    /// ``WireLimits/decodedBytes``, in octets.
    case decodedBytes(Int)
    /// ``WireLimits/expansionRatio``.
    case expansionRatio(Int)
    /// ``WireLimits/codingOverheadBytes``.
    case codingOverheadBytes(Int)
    /// ``WireLimits/codingCount``.
    case codingCount(Int)
}
