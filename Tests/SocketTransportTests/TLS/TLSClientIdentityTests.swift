import SocketTransport
import Support
import Testing

@Suite struct TLSClientIdentityTests {
    private typealias Fixture = IdentityFixture

    /// Connects to a server that requires the fixture's certificate.
    private func connect(
        _ identity: TLSClientIdentity?,
        version: HTTPSecurity.Version = .tls13
    ) throws -> EnginePair {
        var settings = try TLSSettings()
        settings.client.identity = identity.map { HTTPSecurity.Identity($0) }
        settings.client.maximumVersion = version
        settings.clientTrust = .pem(Fixture.certificatePEM)
        return try settings.pair()
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `an identity in every supported form is presented to the server`(
        version: HTTPSecurity.Version
    ) throws {
        let certificateFile = try TemporaryFile(Fixture.certificatePEM)
        let keyFile = try TemporaryFile(Fixture.encryptedKey)
        let bundleFile = try TemporaryFile(Fixture.bundle)
        let both = TLSMaterial.bytes(Fixture.keyPEM + Fixture.certificatePEM)
        let pass = Fixture.passphrase
        let identities: [TLSClientIdentity] = [
            .separate(chain: both, key: both, passphrase: nil),
            .separate(
                chain: .bytes(Fixture.certificate),
                key: .bytes(Fixture.key),
                passphrase: nil
            ),
            .separate(
                chain: .bytes(Fixture.certificatePEM),
                key: .bytes(Fixture.encryptedKeyPEM),
                passphrase: pass
            ),
            .separate(
                chain: .file(certificateFile.path),
                key: .file(keyFile.path),
                passphrase: pass
            ),
            .pkcs12(.bytes(Fixture.bundle), passphrase: pass),
            .pkcs12(.file(bundleFile.path), passphrase: pass),
            // An unneeded passphrase is ignored.
            .separate(chain: both, key: both, passphrase: pass),
        ]
        for identity in identities {
            let pair = try connect(identity, version: version)
            #expect(pair.clientFailure == nil)
            #expect(pair.serverFailure == nil)
            #expect(pair.server.peerChain == [Fixture.certificate])
        }
        _ = consume certificateFile
        _ = consume keyFile
        _ = consume bundleFile
    }

    @Test func `an unusable identity is a caller error with a reason`() throws {
        let stranger = try TestCertificates.shared.get().client("me.test")
        let chain = TLSMaterial.bytes(Fixture.certificatePEM)
        let identities: [TLSClientIdentity] = [
            .separate(chain: .file("/no/such/file"), key: chain, passphrase: nil),
            .separate(chain: chain, key: .file("/no/such/file"), passphrase: nil),
            .separate(chain: chain, key: chain, passphrase: nil),
            .separate(chain: .bytes([]), key: .bytes(Fixture.key), passphrase: nil),
            .separate(chain: chain, key: .bytes([]), passphrase: nil),
            .separate(chain: chain, key: .bytes(Fixture.encryptedKeyPEM), passphrase: nil),
            .separate(chain: chain, key: .bytes(Fixture.encryptedKeyPEM), passphrase: "wrong"),
            .separate(chain: chain, key: .bytes(Fixture.encryptedKey), passphrase: "wrong"),
            .separate(
                chain: chain,
                key: .bytes(Fixture.encryptedKeyPEM),
                passphrase: String(repeating: "x", count: 5000)
            ),
            .separate(chain: chain, key: .bytes(stranger.privateKey), passphrase: nil),
            .pkcs12(.bytes(Fixture.bundle), passphrase: "wrong"),
            .pkcs12(.bytes(Fixture.bundle), passphrase: "secret\u{0}"),
            .pkcs12(.bytes(Fixture.certificate), passphrase: ""),
            .pkcs12(.bytes([]), passphrase: ""),
            .pkcs12(.file("/no/such/file"), passphrase: ""),
        ]
        for identity in identities {
            do throws(TLSError) {
                var client = HTTPSecurity()
                client.identity = HTTPSecurity.Identity(identity)
                _ = try TLSContext(client: client)
                Issue.record("\(identity) was accepted")
            } catch {
                guard case .failed(.identity(let reason)) = error, !reason.isEmpty else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
    }

    /// Returns the reason why an identity cannot be used.
    private func reason(_ identity: TLSClientIdentity) -> String? {
        var client = HTTPSecurity()
        client.identity = HTTPSecurity.Identity(identity)
        do throws(TLSError) {
            _ = try TLSContext(client: client)
            return nil
        } catch {
            guard case .failed(.identity(let reason)) = error else { return "\(error)" }
            return reason
        }
    }

    @Test func `a missing or wrong passphrase is reported in words`() throws {
        let chain = TLSMaterial.bytes(Fixture.certificatePEM)
        for key in [Fixture.encryptedKeyPEM, Fixture.encryptedKey] {
            let missing = reason(.separate(chain: chain, key: .bytes(key), passphrase: nil))
            #expect(missing == "bytes in memory: the key is encrypted: pass its passphrase")
            let wrong = reason(.separate(chain: chain, key: .bytes(key), passphrase: "wrong"))
            let start = "bytes in memory: the passphrase does not decrypt the key: "
            #expect(wrong?.hasPrefix(start) == true)
            #expect(wrong.map { $0.count > start.count } == true)
        }
        let notAKey = reason(.separate(chain: chain, key: chain, passphrase: nil))
        #expect(notAKey?.contains("passphrase") == false)
        let bundle = reason(.pkcs12(.bytes(Fixture.bundle), passphrase: "wrong"))
        #expect(
            bundle?.hasPrefix("bytes in memory: the passphrase does not open the file: ") == true
        )
        let none = reason(.pkcs12(.bytes(Fixture.bundle), passphrase: ""))
        #expect(none?.hasPrefix("bytes in memory: cannot be opened without a passphrase: ") == true)
    }

    @Test(arguments: [HTTPSecurity.Version.tls12, .tls13])
    func `a missing or unknown client certificate is rejected by the server`(
        version: HTTPSecurity.Version
    ) throws {
        let stranger = try TestCertificates.shared.get().selfSigned("me.test")
        let other = TLSClientIdentity.separate(
            chain: .bytes(stranger.certificateChain),
            key: .bytes(stranger.privateKey),
            passphrase: nil
        )
        for identity in [nil, other] {
            let pair = try connect(identity, version: version)
            #expect(pair.serverFailure != nil)
            let failure: TLSError? =
                if version == .tls12 {
                    pair.clientFailure
                } else {
                    // The client's handshake ends before the server has checked the certificate.
                    #expect(throws: TLSError.self) { try pair.client.readAll() }
                }
            guard case .failed(.alert)? = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
        }
    }
}
