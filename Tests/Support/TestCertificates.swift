package import HTTPTestServer
package import SocketTransport

/// The certificates that tests present and trust; created at run time, so they cannot expire.
package struct TestCertificates: Sendable {
    /// The authority that clients under test trust.
    package let root: CertificateAuthority
    /// An authority below the root.
    package let intermediate: CertificateAuthority
    /// A root with the same name as ``root`` but another key, which clients under test do not trust.
    package let otherRoot: CertificateAuthority

    package init() throws {
        root = try CertificateAuthority()
        intermediate = try root.intermediate()
        otherRoot = try CertificateAuthority()
    }

    /// One set for all tests of the process.
    package static let shared = Result { try TestCertificates() }

    /// Returns a valid leaf below the root.
    package func leaf(_ names: String...) throws -> IssuedCertificate {
        try root.issue(CertificateTemplate(names: names))
    }

    /// Returns a valid leaf below the intermediate, which is in the chain.
    package func chained(_ names: String...) throws -> IssuedCertificate {
        try intermediate.issue(CertificateTemplate(names: names))
    }

    /// Returns a valid leaf whose chain lacks the intermediate that signed it.
    package func withoutIntermediate(_ names: String...) throws -> IssuedCertificate {
        let whole = try intermediate.issue(CertificateTemplate(names: names))
        let end = "-----END CERTIFICATE-----\n"
        let text = String(decoding: whole.certificateChain, as: UTF8.self)
        let first = text.prefix(upTo: text.firstRange(of: end)?.upperBound ?? text.endIndex)
        return IssuedCertificate(
            certificateChain: [UInt8](first.utf8),
            privateKey: whole.privateKey
        )
    }

    /// Returns a leaf that expired yesterday.
    package func expired(_ names: String...) throws -> IssuedCertificate {
        try root.issue(
            CertificateTemplate(names: names, notBefore: -30 * 86_400, notAfter: -86_400)
        )
    }

    /// Returns a leaf that becomes valid tomorrow.
    package func notYetValid(_ names: String...) throws -> IssuedCertificate {
        try root.issue(CertificateTemplate(names: names, notBefore: 86_400))
    }

    /// Returns a self-signed leaf.
    package func selfSigned(_ names: String...) throws -> IssuedCertificate {
        try CertificateAuthority.selfSigned(CertificateTemplate(names: names))
    }

    /// Returns a leaf below ``otherRoot``.
    package func untrusted(_ names: String...) throws -> IssuedCertificate {
        try otherRoot.issue(CertificateTemplate(names: names))
    }

    /// Returns a leaf for clients only.
    package func client(_ names: String...) throws -> IssuedCertificate {
        try root.issue(CertificateTemplate(names: names, purpose: .client))
    }

    /// Returns a leaf whose issuer may issue names only below `allowed.test`.
    package func violatingNameConstraint(_ names: String...) throws -> IssuedCertificate {
        var template = CertificateTemplate(names: [], commonName: "Constrained")
        template.permittedDomain = "allowed.test"
        return try root.intermediate(template).issue(CertificateTemplate(names: names))
    }

    /// Returns a leaf with a weak key or signature.
    package func weak(
        _ strength: CertificateTemplate.Strength,
        _ names: String...
    ) throws -> IssuedCertificate {
        var template = CertificateTemplate(names: names)
        template.strength = strength
        return try root.issue(template)
    }
}
