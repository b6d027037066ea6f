private import CSSL
private import Glibc
private import Synchronization

/// Owns an `X509_STORE`: the certificates that a chain may end in.
///
/// `@unchecked Sendable`: certificates are added only by the initialisers, before anyone else sees
/// the object; afterwards the library's own lock guards the store.
@safe final class TrustStore: @unchecked Sendable {
    private let store: OpaquePointer

    /// Directories that are looked up in by the hash of a subject.
    private var directories: [String] = []

    /// Makes a store of what the sources hold, and of what `other` holds.
    ///
    /// - Throws: `.badTrust` when a source cannot be read, holds no certificate, or one that cannot
    ///   be decoded.
    convenience init(
        _ sources: [TLSConfiguration.Trust.Source],
        and other: TrustStore? = nil
    ) throws(TLSError) {
        try self.init()
        if let other { copy(other) }
        for source in sources {
            switch source {
            case .material(let material): try add(material)
            case .directory(let path):
                guard Self.isDirectory(path) else {
                    throw .badTrust(source: path, reason: "not a directory")
                }
                addDirectory(path)
            }
        }
    }

    private func copy(_ other: TrustStore) {
        // SAFETY: both stores are alive; add_cert takes its own reference. No other thread adds to
        // `other` any more, save a directory look-up, which is why it is locked.
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
        // SAFETY: drops the one reference that init took.
        unsafe X509_STORE_free(store)
    }

    /// Makes `ssl` verify against this store; it takes its own reference.
    func install(in ssl: OpaquePointer) -> Bool {
        // SAFETY: the caller's `ssl` and our store are alive.
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
            throw .badTrust(source: material.trustName, reason: error.reason)
        }
        if found == 0 {
            throw .badTrust(source: material.trustName, reason: "no certificate in it")
        }
    }
}

extension TLSMaterial {
    fileprivate var trustName: String {
        switch self {
        case .file(let path): path
        case .bytes: "given certificates"
        }
    }
}

// MARK: - The system's store

extension TrustStore {
    /// Lends the system's certificates, read once per process (about 20 ms) at the first call.
    ///
    /// Any thread may call it; those that come while it reads wait.
    ///
    /// - Throws: `.badTrust` when this machine has none; the answer stays the same until exit.
    static func system() throws(TLSError) -> TrustStore {
        try systemResult.get()
    }

    /// Whether ``system()`` has read anything in this process.
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

    /// Follows the environment if it says something, else takes the first bundle that exists.
    private static func loadSystem() throws(TLSError) -> TrustStore {
        let result = try TrustStore()
        let file = Environment.trustedVariable("SSL_CERT_FILE")
        let directory = Environment.trustedVariable("SSL_CERT_DIR")
        var found = 0
        if let file {
            do throws(PEMError) {
                found = try result.addBundle(file)
            } catch {
                throw .badTrust(source: file, reason: error.reason)
            }
            if found == 0 { throw .badTrust(source: file, reason: "no certificate in it") }
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
            throw .badTrust(source: "system", reason: "no certificate bundle on this machine")
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

    /// Looks certificates up by the hash of their subject, each when first needed.
    private func addDirectory(_ path: String) {
        // SAFETY: the store is alive; a look-up it adds belongs to it.
        if unsafe X509_STORE_load_path(store, path) == 1 { directories.append(path) }
        ERR_clear_error()
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: `status` is ours for the call.
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
