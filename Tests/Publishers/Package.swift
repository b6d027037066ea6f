// swift-tools-version: 6.3
import PackageDescription

// A package of its own: the trait under test would make every build of the root fetch OpenCombine.

/// The settings of the library's own targets.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "Publishers",
    dependencies: [
        .package(name: "HTTPClient", path: "../..", traits: ["Foundation", "OpenCombine"]),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .testTarget(
            name: "PublisherTests",
            dependencies: [
                .product(name: "HTTPClient", package: "HTTPClient"),
                .product(name: "HTTPTestServer", package: "HTTPClient"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            path: "PublisherTests",
            swiftSettings: house
        )
    ]
)
