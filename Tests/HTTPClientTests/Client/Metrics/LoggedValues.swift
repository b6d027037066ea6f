import ClientSupport
import HTTPClient
import HTTPTestServer
import SocketTransport
import Support
import Testing
import Wire

/// Values that can hold a secret, for ``LoggedTextTests``.
enum LoggedValues {
    /// Returns values that hold `secret` and that no call is needed for.
    static func all(_ secret: String) throws -> [String: Any] {
        let bytes = Array(secret.utf8)
        let credentials = HTTPCredentials(user: "user", password: secret)
        let netrc = try HTTPNetrc(text: "machine a.test login user password \(secret)")
        let parameters: HTTPParameters = [
            "password": secret, "user": ["pwd": .string(secret)] as HTTPParameters.ParameterValue,
            "q": 1,
        ]
        var form = MultipartForm()
        form.add(string: secret, name: "password")
        form.add(bytes: bytes, headers: ["X-Auth-Token": secret])
        let resumeData = HTTPResumeData(
            url: "http://a.test/?sig=\(secret)",
            validator: "\"a\"",
            offset: 1,
            total: nil,
            target: "/tmp/file",
            name: ".file.abcdefgh.part"
        )
        var values: [String: Any] = [
            "credentials": credentials, "netrc": netrc, "resume data": resumeData,
            "authorization": HTTPAuthorization.bearer(secret),
            "custom authorization": HTTPAuthorization.custom(scheme: "Key", secret),
            "authentication": HTTPAuthentication.credentials(credentials),
            "bearer": HTTPAuthentication.bearer(secret),
            "netrc authentication": HTTPAuthentication.netrc(netrc),
            "token": HTTPTokenSource.Token(secret, expiresIn: .seconds(60)),
            "cookie": Cookie("sid", secret, domain: "a.test") as Any,
            "query item": HTTPQueryItem("access_token", secret),
            "parameters": parameters, "parameter": parameters[0],
            "parameter value": HTTPParameters.ParameterValue.string(secret),
            "parameter values": [HTTPParameters.ParameterValue.string(secret)],
            "form": form, "form part": form.parts[0],
            "identity": HTTPSecurity.Identity.bytes(
                certificate: bytes,
                key: bytes,
                passphrase: secret
            ),
            "raw head": RawHead(
                Array("GET /?sig=\(secret) HTTP/1.1\r\nCookie: \(secret)\r\n\r\n".utf8)
            ),
        ]
        let responses: [HTTPTestServer.Response] = [
            .text(secret), .bytes(bytes, contentType: "text/plain").truncated(to: 3),
            .raw(secret), .text("a").header("Set-Cookie", "sid=\(secret)"),
        ]
        for (index, response) in responses.enumerated() {
            values["server response \(index)"] = response
        }
        return values
    }

    /// Returns the name of the type of a value, or of its elements, as `API` has it.
    static func typeName(of value: Any) -> String {
        var name = String(reflecting: type(of: value))
        while name.hasPrefix("Swift.Array<") || name.hasPrefix("Swift.Optional<") {
            name = String(name.drop { $0 != "<" }.dropFirst())
        }
        name = String(name.prefix { $0 != "<" && $0 != ">" })
        return String(name.drop { $0 != "." }.dropFirst())
    }

    /// Returns the names of the public types with a mirror of their own, but for those of HTTPClientTesting.
    static func hidingTypes() throws -> Set<String> {
        var types: Set<String> = []
        for module in ["HTTPClient", "HTTPTestServer", "SocketTransport", "Wire"] {
            let path = "\(TestFileSystem.packageRoot)/API/\(module).txt"
            let text = String(
                decoding: try #require(TestFileSystem.contents(of: path)),
                as: UTF8.self
            )
            for line in text.split(separator: "\n") where line.contains("CustomReflectable") {
                let words = line.split(separator: " ")
                guard
                    let place = words.firstIndex(where: {
                        ["struct", "class", "enum"].contains($0)
                    })
                else { continue }
                types.insert(String(words[place + 1].prefix { $0 != ":" && $0 != "<" }))
            }
        }
        return types
    }
}
