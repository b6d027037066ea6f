// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "HTTPClient", path: "..")],
    targets: [
        .executableTarget(
            name: "CachedFetch",
            dependencies: [.product(name: "HTTPClient", package: "HTTPClient")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "CachedService",
            dependencies: [
                .product(name: "HTTPClient", package: "HTTPClient"),
                .product(name: "HTTPTestServer", package: "HTTPClient"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Demo",
            dependencies: [
                .product(name: "HTTPClient", package: "HTTPClient"),
                .product(name: "HTTPTestServer", package: "HTTPClient"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Downloader",
            dependencies: [.product(name: "HTTPClient", package: "HTTPClient")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ExplainCapture",
            dependencies: [
                .product(name: "Wire", package: "HTTPClient"),
                .product(name: "WireForensics", package: "HTTPClient"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "EchoServer",
            dependencies: [.product(name: "Wire", package: "HTTPClient")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "GetAndPrint",
            dependencies: [.product(name: "HTTPClient", package: "HTTPClient")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "LogConsumer",
            dependencies: [
                .product(name: "HTTPClient", package: "HTTPClient"),
                .product(name: "HTTPTestServer", package: "HTTPClient"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "SignedEndpoint",
            dependencies: [
                .product(name: "HTTPClient", package: "HTTPClient"),
                .product(name: "HTTPTestServer", package: "HTTPClient"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StreamingUpload",
            dependencies: [
                .product(name: "HTTPClient", package: "HTTPClient"),
                .product(name: "HTTPTestServer", package: "HTTPClient"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "TokenReader",
            dependencies: [
                .product(name: "HTTPClient", package: "HTTPClient"),
                .product(name: "HTTPTestServer", package: "HTTPClient"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "TypedFetch",
            dependencies: [
                .product(name: "HTTPClient", package: "HTTPClient"),
                .product(name: "HTTPTestServer", package: "HTTPClient"),
            ],
            swiftSettings: settings
        ),
    ]
)
