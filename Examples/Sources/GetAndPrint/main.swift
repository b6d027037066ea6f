import HTTPClient

let url = CommandLine.arguments.dropFirst().first ?? "https://example.com/"
do {
    let response = try await HTTPClient.shared.send(url)
    print(response.status)
    print(response.text)
} catch {
    print("failed:", error)
}
