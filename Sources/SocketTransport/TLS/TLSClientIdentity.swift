private import CSSL

/// The source of an own certificate and its key.
package enum TLSClientIdentity: Sendable, Hashable {
    /// A certificate chain and a separate key.
    ///
    /// The chain is in PEM, the client's own certificate first, or a single certificate in DER. The
    /// key is in PEM or DER and may be encrypted. Both may be in one PEM file.
    case separate(chain: TLSMaterial, key: TLSMaterial, passphrase: String?)
    /// PKCS#12 (RFC 7292): chain and key in one file, usually encrypted.
    case pkcs12(TLSMaterial, passphrase: String)

    /// Installs the identity in an `SSL_CTX`.
    ///
    /// - Throws: `.identity` if a part cannot be read or decoded, the passphrase is wrong, or
    ///   the key does not belong to the certificate.
    func install(in context: OpaquePointer) throws(TLSError) {
        do throws(PEMError) {
            // SAFETY: the caller's SSL_CTX is alive and not shared yet.
            switch self {
            case .separate(let chain, let key, let passphrase):
                unsafe try Self.install(chain: chain, in: context)
                unsafe try Self.install(key: key, passphrase, in: context)
            case .pkcs12(let material, let passphrase):
                unsafe try Self.install(pkcs12: material, passphrase, in: context)
            }
            guard unsafe SSL_CTX_check_private_key(context) == 1 else {
                throw .undecodable(reason: OpenSSLError.pop().reason)
            }
        } catch {
            throw .failed(.identity(reason: error.reason))
        }
    }

    private static func install(
        chain: TLSMaterial,
        in context: OpaquePointer
    ) throws(PEMError) {
        var position = 0
        var accepted = true
        ERR_clear_error()
        // SAFETY: the SSL_CTX takes its own reference to each certificate.
        do throws(PEMError) {
            _ = try unsafe PEM.forEachCertificate(in: chain, .all) { certificate in
                let result =
                    position == 0
                    ? unsafe SSL_CTX_use_certificate(context, certificate)
                    : unsafe cssl_CTX_add1_chain_cert(context, certificate)
                accepted = accepted && result == 1
                position += 1
            }
            guard position > 0 else { throw .undecodable(reason: "no certificate in the chain") }
            guard accepted else { throw .undecodable(reason: OpenSSLError.pop().reason) }
        } catch {
            throw error.attributed(to: chain)
        }
    }

    private static func install(
        key: TLSMaterial,
        _ passphrase: String?,
        in context: OpaquePointer
    ) throws(PEMError) {
        let made: OpaquePointer
        do throws(PEMError) {
            unsafe made = try read(key, passphrase)
        } catch {
            throw error.attributed(to: key)
        }
        // SAFETY: this function owns the key until the defer frees it; the SSL_CTX takes its own
        // reference.
        defer { unsafe EVP_PKEY_free(made) }
        guard unsafe SSL_CTX_use_PrivateKey(context, made) == 1 else {
            throw .undecodable(reason: OpenSSLError.pop().reason)
        }
    }

    /// Reads a key in PEM or DER; the caller owns it.
    private static func read(
        _ material: TLSMaterial,
        _ passphrase: String?
    ) throws(PEMError) -> OpaquePointer {
        let bytes = try material.contents()
        guard TLSMaterial.isDER(bytes) else {
            return unsafe try PEM.privateKey(in: .bytes(bytes), passphrase: passphrase)
        }
        // SAFETY: this function owns the BIOs until it frees them; each reading function returns a
        // new object.
        let bio = unsafe try TLSMaterial.bytes(bytes).open()
        defer { unsafe BIO_free_all(bio) }
        ERR_clear_error()
        if let key = unsafe d2i_PrivateKey_bio(bio, nil) { return unsafe key }
        let again = unsafe try TLSMaterial.bytes(bytes).open()
        defer { unsafe BIO_free_all(again) }
        return unsafe try Passphrase.readKey(passphrase) { callback, argument in
            unsafe d2i_PKCS8PrivateKey_bio(again, nil, callback, argument)
        }
    }

    private static func install(
        pkcs12 material: TLSMaterial,
        _ passphrase: String,
        in context: OpaquePointer
    ) throws(PEMError) {
        let bytes: [UInt8]
        do throws(PEMError) {
            bytes = try material.contents()
        } catch {
            throw error.attributed(to: material)
        }
        guard !passphrase.hasNUL else { throw .undecodable(reason: "NUL in passphrase") }
        ERR_clear_error()
        // SAFETY: this function owns the BIO, the structure and its parsed parts until the defers
        // free them; the SSL_CTX takes its own references.
        let bio = unsafe try TLSMaterial.bytes(bytes).open()
        defer { unsafe BIO_free_all(bio) }
        var key: OpaquePointer?
        var own: OpaquePointer?
        var others: OpaquePointer?
        guard let structure = unsafe d2i_PKCS12_bio(bio, nil) else {
            throw PEMError.undecodable(reason: OpenSSLError.pop().reason).attributed(to: material)
        }
        defer {
            unsafe PKCS12_free(structure)
            unsafe EVP_PKEY_free(key)
            unsafe X509_free(own)
            unsafe cssl_X509_stack_free(others)
        }
        guard unsafe PKCS12_parse(structure, passphrase, &key, &own, &others) == 1 else {
            let reason = OpenSSLError.pop().reason
            throw PEMError.undecodable(
                reason: passphrase.isEmpty
                    ? "cannot be opened without a passphrase: \(reason)"
                    : "the passphrase does not open the file: \(reason)"
            ).attributed(to: material)
        }
        guard let key = unsafe key, let own = unsafe own else {
            throw PEMError.undecodable(reason: "no key with its certificate").attributed(
                to: material
            )
        }
        var accepted = unsafe SSL_CTX_use_certificate(context, own) == 1
        accepted = unsafe accepted && SSL_CTX_use_PrivateKey(context, key) == 1
        for index in 0..<max(0, unsafe OPENSSL_sk_num(others)) {
            guard let element = unsafe OPENSSL_sk_value(others, index) else { continue }
            let result = unsafe cssl_CTX_add1_chain_cert(context, OpaquePointer(element))
            accepted = accepted && result == 1
        }
        guard accepted else { throw .undecodable(reason: OpenSSLError.pop().reason) }
    }
}

extension PEMError {
    /// Returns the error with the name of the material in its reason.
    fileprivate func attributed(to material: TLSMaterial) -> PEMError {
        .undecodable(reason: "\(material.name): \(reason)")
    }
}
