/// A fuzz target: a property, and the name of its corpus and of its dictionary.
package struct FuzzTarget: Sendable {
    package let name: String
    /// Stops the process if the input violates the property.
    package let check: @Sendable (FuzzInput) -> Void

    package init(_ name: String, _ check: @escaping @Sendable (FuzzInput) -> Void) {
        self.name = name
        self.check = check
    }

    /// The targets of Wire.
    package static let wire = [
        FuzzTarget("ChunkedFuzz", checkChunked),
        FuzzTarget("ExchangeFuzz", checkExchange),
        FuzzTarget("InflateFuzz", checkInflate),
        FuzzTarget("RequestHeadFuzz", checkRequestHead),
        FuzzTarget("ResponseHeadFuzz", checkResponseHead),
        FuzzTarget("RoundTripFuzz", checkRoundTrip),
        FuzzTarget("ScannerFuzz", checkScanner),
        FuzzTarget("StreamFuzz", checkStream),
        FuzzTarget("StructuredFuzz", checkStructured),
        FuzzTarget("URIFuzz", checkURI),
    ]
}
