private import CSSL

/// Holds certificates of one peer, its own first, without copying or decoding them.
///
/// `@unchecked Sendable`: an `X509` is counted atomically, and everything done here only reads it.
@safe package final class CertificateList: @unchecked Sendable {
    /// Each with a reference of our own.
    private let elements: [OpaquePointer]

    /// Takes references to the elements of a `STACK_OF(X509)`; nil stands for an empty one.
    init(stack: OpaquePointer?) {
        var elements: [OpaquePointer] = unsafe []
        // SAFETY: the caller lends the stack for this call; each element gets a reference more.
        for index in 0..<max(0, unsafe OPENSSL_sk_num(stack)) {
            guard let element = unsafe OPENSSL_sk_value(stack, index) else { continue }
            let certificate = OpaquePointer(element)
            guard unsafe X509_up_ref(certificate) == 1 else { continue }
            unsafe elements.append(certificate)
        }
        unsafe self.elements = elements
    }

    /// Decodes certificates out of PEM or DER; blocks of other kinds are passed over.
    ///
    /// - Throws: a reason in words, when there is none or one cannot be decoded.
    init(_ material: TLSMaterial) throws(PEMError) {
        var elements: [OpaquePointer] = unsafe []
        // SAFETY: each certificate is borrowed from the reader and gets a reference more, which is
        // dropped again when a later one is broken.
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

    /// Decodes the one certificate that `der` is; nil when it is none, or has something behind it.
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
        // SAFETY: drops the references that init took.
        for index in unsafe elements.indices { unsafe X509_free(elements[index]) }
    }

    /// Certificates in the list.
    package var count: Int { unsafe elements.count }

    /// Copies a certificate out; empty when it cannot be encoded.
    package func der(at index: Int) -> [UInt8] {
        // SAFETY: the certificate is ours and not changed.
        unsafe DER.encode { unsafe i2d_X509(elements[index], $0) } ?? []
    }

    /// Copies a public key out as SubjectPublicKeyInfo, what pins are made of (RFC 7469 §2.4).
    package func publicKey(at index: Int) -> [UInt8] {
        // SAFETY: the key belongs to the certificate, which is ours.
        guard let key = unsafe X509_get_X509_PUBKEY(elements[index]) else { return [] }
        return unsafe DER.encode { unsafe i2d_X509_PUBKEY(key, $0) } ?? []
    }

    /// Decodes what a certificate states.
    package func info(at index: Int) -> CertificateInfo {
        // SAFETY: the certificate is ours.
        unsafe CertificateReader.info(of: elements[index])
    }
}
