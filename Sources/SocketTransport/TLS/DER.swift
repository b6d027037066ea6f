/// The binary encoding of OpenSSL objects.
enum DER {
    /// Calls an `i2d_…` function twice: for the length, then for the bytes.
    ///
    /// - Returns: nil if the object cannot be encoded.
    static func encode(
        _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> [UInt8]? {
        let length = Int(write(nil))
        guard length > 0 else { return nil }
        // SAFETY: i2d writes exactly the length that it returned for the same, unchanged object.
        let result = unsafe [UInt8](unsafeUninitializedCapacity: length) { region, count in
            var position = region.baseAddress
            count = max(0, min(length, Int(unsafe write(&position))))
        }
        return result.count == length ? result : nil
    }
}
