// Decodes JSON into a type, and shows the error when the server's JSON does not match it.
import HTTPClient
import HTTPTestServer

struct User: Decodable {
    var name: String
    var visits: Int
}

let server = try await HTTPTestServer.start(routes: [
    "/users/1": .json(#"{"name": "Ada", "visits": 3}"#),
    "/users/2": .json(#"{"name": "Bob", "visits": "many"}"#),
])
var configuration = HTTPClient.Configuration()
configuration.baseURL = try URI(server.url)
let client = HTTPClient(configuration)

for path in ["users/1", "users/2", "users/3"] {
    do {
        let user = try await client.fetch(User.self, from: path)
        print("\(path): \(user.name), \(user.visits) visits")
    } catch {
        print("\(path): \(error)")
    }
}
