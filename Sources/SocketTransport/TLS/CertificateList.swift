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

    /// Decodes the contents of a certificate.
    package func info(at index: Int) -> CertificateInfo {
        // SAFETY: this object owns the certificate.
        unsafe CertificateReader.info(of: elements[index])
    }
}
