package import HTTPClient

/// Reads the value of `--interface`: an address, an interface, or one of them said exactly with
/// `host!` or `if!`.
package enum InterfaceName {
    /// Reads it.
    ///
    /// - Throws: `.interfaceFailed` for what can be neither.
    package static func parse(_ text: String) throws(FetchError) -> HTTPConnectOptions.LocalBinding
    {
        let failure = FetchError(.interfaceFailed, "Couldn't bind to '\(text)'")
        if text.hasPrefix("if!") { return .device(String(text.dropFirst(3))) }
        if text.hasPrefix("host!") {
            guard let address = IPAddress(String(text.dropFirst(5))) else { throw failure }
            return .address(address)
        }
        guard !text.isEmpty else { throw failure }
        return IPAddress(text).map { .address($0) } ?? .interface(text)
    }
}
