private import Glibc

/// The identity and the time of change of every file that TLS settings name.
///
/// Two values are equal if no file was replaced or written between them. Stamps taken before the files are read may
/// be older than what was read; then the next stamps differ, and the files are read once more. A file that is
/// overwritten twice with the same length within one tick of the kernel's clock, some milliseconds, is not noticed.
package struct SecurityFileStamps: Sendable, Hashable {
    private enum Stamp: Sendable, Hashable {
        case file(device: UInt64, number: UInt64, size: Int, modified: Int64, changed: Int64)
        case missing(errno: Int32)
        /// A pipe or a device, which can be read only once, and whose reader may have to wait.
        case other
    }

    private let stamps: [Stamp]

    /// Examines the files of the settings; blocks for some microseconds.
    package init(of security: HTTPSecurity) {
        stamps = security.filePaths.map(Self.stamp)
    }

    /// Whether the settings name no file.
    package var isEmpty: Bool { stamps.isEmpty }

    private static func stamp(of path: String) -> Stamp {
        var status = stat()
        // SAFETY: `status` is a local variable that outlives the call, and the bridged string ends with 0.
        guard !path.hasNUL, unsafe stat(path, &status) == 0 else {
            return .missing(errno: errno)
        }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFDIR else { return .other }
        return .file(
            device: UInt64(status.st_dev),
            number: UInt64(status.st_ino),
            size: Int(status.st_size),
            modified: nanoseconds(status.st_mtim),
            changed: nanoseconds(status.st_ctim)
        )
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

extension HTTPSecurity {
    /// The files of the settings, and the directories of trusted certificates.
    fileprivate var filePaths: [String] {
        var paths: [String] = []
        func add(_ material: TLSMaterial) {
            if case .file(let path) = material { paths.append(path) }
        }
        for source in trust.sources {
            switch source {
            case .material(let material): add(material)
            case .directory(let path): paths.append(path)
            }
        }
        switch identity?.content {
        case .separate(let chain, let key, _):
            add(chain)
            add(key)
        case .pkcs12(let material, _): add(material)
        case nil: break
        }
        for pin in pins.flatMap(\.pins) {
            switch pin.content {
            case .certificate(let material), .key(let material): add(material)
            case .keyDigest, .certificateDigest, .invalid: break
            }
        }
        return paths
    }
}
