// swift-tools-version: 6.2
import PackageDescription

// This is a separate package, because it fetches twenty others. No other package builds it.
let package = Package(
    name: "ahc",
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0")
    ],
    targets: [
        .executableTarget(
            name: "ahc",
            dependencies: [.product(name: "AsyncHTTPClient", package: "async-http-client")]
        )
    ]
)
