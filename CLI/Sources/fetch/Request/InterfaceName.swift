package import HTTPClient

/// Parsing of `--interface`: an address or an interface, optionally made explicit with `host!` or `if!`.
package enum InterfaceName {
    /// Parses the value.
    ///
    /// - Throws: `.interfaceFailed` for a value that can be neither.
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
