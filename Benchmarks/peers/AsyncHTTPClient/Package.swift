// swift-tools-version: 6.3
import PackageDescription

// This is a separate package, because it fetches more than twenty others. No other package builds it.
let package = Package(
    name: "ahc",
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        // scripts/swiftpm builds it with all traits.
        .package(name: "HTTPClient", path: "../../.."),
    ],
    targets: [
        .executableTarget(
            name: "ahc",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "_NIOFileSystem", package: "swift-nio"),
            ]
        ),
        // Its build proves that the public names collide with none of these packages.
        .target(
            name: "PublicNames",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPClient", package: "HTTPClient"),
                .product(name: "HTTPClientReports", package: "HTTPClient"),
                .product(name: "HTTPClientTesting", package: "HTTPClient"),
                .product(name: "HTTPTestServer", package: "HTTPClient"),
                .product(name: "WireForensics", package: "HTTPClient"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
    ]
)
