// swift-tools-version: 6.2
import PackageDescription

// A package of its own, which nothing builds by itself: it fetches twenty others.
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
