private import CSSL
private import Glibc
private import Synchronization

/// An `X509_STORE`: the certificates that a chain may end in.
///
/// `@unchecked Sendable`: only the initializers add certificates, before other code has access to
/// the object; afterwards OpenSSL's own lock protects the store.
@safe final class TrustStore: @unchecked Sendable {
    private let store: OpaquePointer

    /// The directories that OpenSSL searches by subject hash.
    private var directories: [String] = []

    /// Creates a store with the certificates of the sources and of `other`.
    ///
    /// - Throws: `.trust` if a source cannot be read, has no certificate, or has one that cannot
    ///   be decoded.
    convenience init(
        _ sources: [HTTPSecurity.Trust.Source],
        and other: TrustStore? = nil
    ) throws(TLSError) {
        try self.init()
        if let other { copy(other) }
        for source in sources {
            switch source {
            case .material(let material): try add(material)
            case .directory(let path):
                guard Self.isDirectory(path) else {
                    throw .failed(.trust(source: path, reason: "not a directory"))
                }
                addDirectory(path)
            }
        }
    }

    private func copy(_ other: TrustStore) {
        // SAFETY: both stores are alive; add_cert takes its own reference. No other thread adds to
        // `other` any more, except a directory lookup, so it is locked.
        if unsafe X509_STORE_lock(other.store) == 1 {
            let objects = unsafe X509_STORE_get0_objects(other.store)
            for index in 0..<max(0, unsafe OPENSSL_sk_num(objects)) {
                guard let object = unsafe OPENSSL_sk_value(objects, index),
                    let certificate = unsafe X509_OBJECT_get0_X509(OpaquePointer(object))
                else { continue }
                unsafe X509_STORE_add_cert(store, certificate)
            }
            unsafe X509_STORE_unlock(other.store)
        }
        for path in other.directories { addDirectory(path) }
    }

    private init() throws(TLSError) {
        guard let store = unsafe X509_STORE_new() else {
            throw .internalError(reason: OpenSSLError.pop().reason)
        }
        unsafe self.store = store
    }

    deinit {
        // SAFETY: releases the one reference that init took.
        unsafe X509_STORE_free(store)
    }

    /// Makes `ssl` verify against this store; `ssl` takes its own reference.
    func install(in ssl: OpaquePointer) -> Bool {
        // SAFETY: the caller's `ssl` and this store are alive.
        unsafe cssl_set1_verify_cert_store(ssl, store) == 1
    }

    private func add(_ material: TLSMaterial) throws(TLSError) {
        let found: Int
        do throws(PEMError) {
            // SAFETY: add_cert takes its own reference to the borrowed certificate.
            found = try unsafe PEM.forEachCertificate(in: material, .all) { certificate in
                unsafe X509_STORE_add_cert(store, certificate)
            }
        } catch {
            throw .failed(.trust(source: material.trustName, reason: error.reason))
        }
        if found == 0 {
            throw .failed(.trust(source: material.trustName, reason: "no certificate in it"))
        }
    }
}

extension TLSMaterial {
    fileprivate var trustName: String {
        switch self {
        case .file(let path): path
        case .bytes: "certificates in memory"
        }
    }
}

// MARK: - The system's store

extension TrustStore {
    /// Returns the system's certificates, read once per process (about 20 ms) at the first call.
    ///
    /// Any thread may call it; callers wait while another thread reads the certificates.
    ///
    /// - Throws: `.trust` if this machine has none; the result does not change until exit.
    static func system() throws(TLSError) -> TrustStore {
        try systemResult.get()
    }

    /// Whether ``system()`` has been called in this process.
    static var isSystemLoaded: Bool { loaded.load(ordering: .relaxed) }

    private static let loaded = Atomic<Bool>(false)

    private static let systemResult: Result<TrustStore, TLSError> = {
        loaded.store(true, ordering: .relaxed)
        do throws(TLSError) {
            return .success(try loadSystem())
        } catch {
            return .failure(error)
        }
    }()

    /// Loads the certificates that the environment names, otherwise the first bundle that exists.
    private static func loadSystem() throws(TLSError) -> TrustStore {
        let result = try TrustStore()
        let file = Environment.trustedVariable("SSL_CERT_FILE")
        let directory = Environment.trustedVariable("SSL_CERT_DIR")
        var found = 0
        if let file {
            do throws(PEMError) {
                found = try result.addBundle(file)
            } catch {
                throw .failed(.trust(source: file, reason: error.reason))
            }
            if found == 0 { throw .failed(.trust(source: file, reason: "no certificate in it")) }
        }
        if let directory {
            for part in directory.split(separator: ":") {
                result.addDirectory(String(part))
            }
            return result
        }
        if file != nil { return result }
        for path in bundles where found == 0 {
            found = (try? result.addBundle(path)) ?? 0
        }
        if found > 0 { return result }
        guard let path = directories.first(where: isDirectory) else {
            throw .failed(.trust(source: "system", reason: "no certificate bundle on this machine"))
        }
        result.addDirectory(path)
        return result
    }

    private func addBundle(_ path: String) throws(PEMError) -> Int {
        // SAFETY: add_cert takes its own reference to the borrowed certificate.
        try unsafe PEM.forEachCertificate(in: .file(path), .skipInvalid) { certificate in
            unsafe X509_STORE_add_cert(store, certificate)
        }
    }

    /// Adds a directory that OpenSSL searches by subject hash, reading a certificate when needed.
    private func addDirectory(_ path: String) {
        // SAFETY: the store is alive and owns the lookup that the call adds.
        if unsafe X509_STORE_load_path(store, path) == 1 { directories.append(path) }
        ERR_clear_error()
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: `status` is a local variable that outlives the call.
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
        "/etc/pki/tls/certs/ca-bundle.crt",  // Fedora, RHEL
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // RHEL 7 and later
        "/etc/ssl/ca-bundle.pem",  // openSUSE
        "/var/lib/ca-certificates/ca-bundle.pem",  // openSUSE, later
        "/etc/ssl/cert.pem",  // Alpine
    ]

    private static let directories = ["/etc/ssl/certs", "/etc/pki/tls/certs"]
}
