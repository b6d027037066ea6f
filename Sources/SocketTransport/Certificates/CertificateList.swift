private import CSSL

/// The certificates of one peer, its own first, neither copied nor decoded.
///
/// `@unchecked Sendable`: the reference count of an `X509` is atomic, and all functions here only
/// read it.
@safe package final class CertificateList: @unchecked Sendable {
    /// The certificates; this object owns a reference to each.
    private let elements: [OpaquePointer]

    /// Retains the elements of a `STACK_OF(X509)`; nil counts as empty.
    init(stack: OpaquePointer?) {
        var elements: [OpaquePointer] = unsafe []
        // SAFETY: the caller keeps the stack valid for this call; each element is retained.
        for index in 0..<max(0, unsafe OPENSSL_sk_num(stack)) {
            guard let element = unsafe OPENSSL_sk_value(stack, index) else { continue }
            let certificate = OpaquePointer(element)
            guard unsafe X509_up_ref(certificate) == 1 else { continue }
            unsafe elements.append(certificate)
        }
        unsafe self.elements = elements
    }

    /// Decodes certificates from PEM or DER; other kinds of PEM blocks are skipped.
    ///
    /// - Throws: a reason in words if there is no certificate or one cannot be decoded.
    init(_ material: TLSMaterial) throws(PEMError) {
        var elements: [OpaquePointer] = unsafe []
        // SAFETY: each certificate is borrowed from the reader and retained. It is released again
        // if a later one is invalid.
        do throws(PEMError) {
            _ = unsafe try PEM.forEachCertificate(in: material, .all) { certificate in
                if unsafe X509_up_ref(certificate) == 1 { unsafe elements.append(certificate) }
            }
        } catch {
            for index in unsafe elements.indices { unsafe X509_free(elements[index]) }
            throw error
        }
        unsafe self.elements = elements
        if count == 0 { throw .undecodable(reason: "no certificate in it") }
    }

    /// Decodes `der` as a single certificate; nil if it is not one, or has trailing bytes.
    package convenience init?(der: [UInt8]) {
        guard TLSMaterial.isDER(der) else { return nil }
        do throws(PEMError) {
            try self.init(.bytes(der))
        } catch {
            return nil
        }
        guard count == 1 else { return nil }
    }

    deinit {
        // SAFETY: releases the references that init took.
        for index in unsafe elements.indices { unsafe X509_free(elements[index]) }
    }

    /// The number of certificates in the list.
    package var count: Int { unsafe elements.count }

    /// Returns a certificate in DER; empty if it cannot be encoded.
    package func der(at index: Int) -> [UInt8] {
        // SAFETY: this object owns the certificate, which does not change.
        unsafe DER.encode { unsafe i2d_X509(elements[index], $0) } ?? []
    }

    /// Returns a public key as SubjectPublicKeyInfo, the input of pins (RFC 7469 §2.4).
    package func publicKey(at index: Int) -> [UInt8] {
        // SAFETY: the key belongs to the certificate, which this object owns.
        guard let key = unsafe X509_get_X509_PUBKEY(elements[index]) else { return [] }
        return unsafe DER.encode { unsafe i2d_X509_PUBKEY(key, $0) } ?? []
    }

    /// Decodes a certificate.
    func certificate(at index: Int) -> HTTPCertificate {
        // SAFETY: this object owns the certificate.
        unsafe CertificateReader.certificate(
            elements[index],
            der: der(at: index),
            publicKey: publicKey(at: index)
        )
    }
}

/// A reader of public keys from files, for comparison with ``TLSStream/peerPublicKey``.
package enum PublicKey {
    /// Decodes the first public key in the contents of a file.
    ///
    /// - Parameter bytes: PEM (`BEGIN PUBLIC KEY`) or DER.
    /// - Returns: a DER SubjectPublicKeyInfo; nil if there is no key that OpenSSL can read.
    package static func subjectPublicKeyInfo(in bytes: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        // SAFETY: the BIO copies `bytes`; this function owns the key and frees it below. d2i reads
        // at most `bytes.count` bytes of an array that outlives the call.
        var key: OpaquePointer?
        if let bio = unsafe try? TLSMaterial.bytes(bytes).open() {
            unsafe key = PEM_read_bio_PUBKEY(bio, nil, PEM.refusePassword, nil)
            unsafe BIO_free_all(bio)
        }
        if unsafe key == nil {
            unsafe key = bytes.withUnsafeBufferPointer { region in
                var position = region.baseAddress
                return unsafe d2i_PUBKEY(nil, &position, region.count)
            }
        }
        defer { unsafe EVP_PKEY_free(key) }
        guard let key = unsafe key else { return nil }
        return unsafe DER.encode { unsafe i2d_PUBKEY(key, $0) }
    }
}

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
