/// A client certificate in every form that OpenSSL's tools write, valid until 2120.
///
/// Created by `openssl ca -selfsign`, `openssl pkcs8 -topk8` and `openssl pkcs12 -export`.
enum IdentityFixture {
    static let passphrase = "secret"
    static let serialNumber = bytes("42f28db5412ccd52cee3a7937d4252d13f3832e9")
    static let sha256 = bytes("19fddbbb4d1b5409c3cd4e9ef027da78a0306378531d251c3013da0aabdfe102")
    static let pin = "sha256//+v9wxwUK37Ri4FO0ANWFAwIXtyCGRwSYJTBiG8xAPwE="
    static let notAfter: Int = 4_733_510_400

    /// DER.
    static let certificate = bytes(
        """
        308201d83082017ea003020102021442f28db5412ccd52cee3a7937d4252d13f3832e9300a06082a8648
        ce3d04030230283117301506035504030c0e666978747572652c20c39c6ec3af310d300b060355040a0c
        04546573743020170d3230303130313030303030305a180f32313230303130313030303030305a302831
        17301506035504030c0e666978747572652c20c39c6ec3af310d300b060355040a0c0454657374305930
        1306072a8648ce3d020106082a8648ce3d030107034200044871fecce8ba691e27221716a46d0c135f53
        e1d38ff41df122ee444a41c4c44ca8316a38691d8b560dd63e8c940aea143aa400d921186de781109749
        1685f7a2a38183308180300c0603551d130101ff0402300030130603551d25040c300a06082b06010505
        070302300e0603551d0f0101ff040403020780301d0603551d0e0416041428b6f098937f5f29676a7f55
        2ff73f36d57cd444302c0603551d110425302382076d652e746573748704c0000201810a6d65406d652e
        74657374860675726e3a6d65300a06082a8648ce3d0403020348003045022100bd03002619cdf1d84e0f
        d0cbf35935d849f5c2e69eeaa92b5805fe431e828d2102202a4157a5cc105caf7345989009338e681f4c
        aa1ff93fc0441f70331f4af3c59a
        """
    )

    /// DER, not encrypted; shorter than 128 bytes.
    static let key = bytes(
        """
        307702010104200d44f9b0189c081951c46ca79bfa930545ba63ce06845a6152e526797d5664f8a00a06
        082a8648ce3d030107a144034200044871fecce8ba691e27221716a46d0c135f53e1d38ff41df122ee44
        4a41c4c44ca8316a38691d8b560dd63e8c940aea143aa400d921186de7811097491685f7a2
        """
    )

    /// DER, PKCS#8 (RFC 5958).
    static let encryptedKey = bytes(
        """
        3081ec305706092a864886f70d01050d304a302906092a864886f70d01050c301c04088dc82c86a911c8
        4402020800300c06082a864886f70d02090500301d060960864801650304012a04106b7c65a84241e6dc
        d538161909079bc50481901f822f7eba2cb16a40a5fec859b6927114eb5eca1f76d951990770518ac186
        dcd91c4f903006f0b2a3025c4b837ccb23b96ce2ee2dce7cebd5799e1efa6c070cc58f6d9640db28e3a8
        8b340ab3faf7f6586af3a28e518f02af99cd4238e7295e3654361fa6e5baa5aa75f98a60b8698f63f354
        35054c302dce8204b59545b51d713ddb4201bfc8b8ec8f94292d355bd0
        """
    )

    /// DER, PKCS#12 (RFC 7292).
    static let bundle = bytes(
        """
        3082046c0201033082042206092a864886f70d010701a08204130482040f3082040b308202c206092a86
        4886f70d010706a08202b3308202af020100308202a806092a864886f70d010701305706092a864886f7
        0d01050d304a302906092a864886f70d01050c301c0408452590d8d5c6e2d902020800300c06082a8648
        86f70d02090500301d060960864801650304012a04106ccf943c89ec79822932d2dd8569cf8d80820240
        f7a9a31bef389b14cd7a31c2a636f96cde4e3f2f0373428ca1fddf38e28bfbd345e011ab42939fc55063
        176867e647747a3e091a1734474613a63dc1df60da57151c895fe88c0b9fe06fe0e273a8f540b4d645ac
        25800085fcdf0cbbc0efabf814c51677e1aa137b3e26c6d0f044118a2939baf16571f201c8eb065bba3a
        b6876ab7793680ae4e05838d91d01a0711db3068dc0b8dfc2941c95d7259b07624c7603f848a062fcdfe
        1d2493a0c7df032fe0d5e468c85fb00b444a6fbcb99949ec6f5b4c90b947fd683369bfdab7a924084b0e
        b933a3132b6160da3eaa628a50dd92d81f38aff59d0d44e9a06e54a0ad6aa18a7d77bcf9d4fd8fa73b58
        f8e8d3437ddc8d70b1297b00f2d37cff53f9ddeb591810dd26a152a8cfdc848e6bd1f6fc60ba1413f5dd
        e4f7f826e82fee9115c2c223d69d4cb9ddbb57631ab7591c08f073cf1cd8654c23c1a842ba217d25f86d
        1f5f2f412e4fc3baddcddc844acb4eaabf96da8e875772b6f78873060bf82f60eca4cc684709208d92ae
        c88d4f4fc621a113557b98b419ce73b2d8731d4ff6c7b025c0e4d269cf0d9a4579b1ca188680b401f450
        dabf310df79606a5ea38f9a7608460415691a5179acc5b9de87bf1c4ec5f6cd0dd0fa3f08ab80540fbed
        e3957fe3af137a78658e1510b89ddb1259c71bc75db13b85c59617162469e07f95619c98105597f0b7c8
        7b7ae8c3fa21974ad7ecfb45315d34ee377ad8cdc87c1953a8e0c9e570a2ba1b7ec5349fe9a4ab834010
        f2fc43dde7fc422265cb909af7a86bf64712858cfb08265d7bc8f090a0883082014106092a864886f70d
        010701a08201320482012e3082012a30820126060b2a864886f70d010c0a0102a081ef3081ec30570609
        2a864886f70d01050d304a302906092a864886f70d01050c301c04085f49d8d7cc37cae002020800300c
        06082a864886f70d02090500301d060960864801650304012a041023440517244335797aac58d6303148
        b8048190916c2dfad90c7eada84e8a15674842af75446f5537faa0f82155435f206313b090906a1e2fe7
        71825a3b1d1eb4cc985b952c85a0906895d69e7ee36e66737b69db401bf48094bdab689fba802c8015bc
        277acbf6dbd5c6dbc6e0b7349332e6e542f637e595e8e07c40d7aed2619ca1662374c5976076421ef430
        c6ea3e31692f43f8938ea6c4ba752f585f9601912ff53125302306092a864886f70d010915311604147d
        a1afe75aaed29afc8740c1fa82a15dd47c2d9130413031300d060960864801650304020105000420d86a
        5b02e77ccaac7307b2e680238fbaf82af0f594e5aa8280edd53ac85c47f7040896526a5f70218e750202
        0800
        """
    )

    static let certificatePEM = pem("CERTIFICATE", certificate)
    static let keyPEM = pem("EC PRIVATE KEY", key)
    static let encryptedKeyPEM = pem("ENCRYPTED PRIVATE KEY", encryptedKey)

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.filter { $0 != UInt8(ascii: "\n") }
        return stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
        }
    }

    private static func pem(_ label: String, _ der: [UInt8]) -> [UInt8] {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        let alphabet = Array(letters.utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: der.count, by: 3) {
            if text.count % 65 == 64 { text.append(UInt8(ascii: "\n")) }
            let group = der[start..<min(start + 3, der.count)]
            var bits: UInt32 = 0
            for place in 0..<3 {
                bits = bits << 8 | (place < group.count ? UInt32(group[start + place]) : 0)
            }
            for place in 0..<4 {
                let index = Int(bits >> UInt32(18 - 6 * place) & 63)
                text.append(place <= group.count ? alphabet[index] : UInt8(ascii: "="))
            }
        }
        let body = String(decoding: text, as: UTF8.self)
        return Array("-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n".utf8)
    }
}
