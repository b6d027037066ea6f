// swift-tools-version: 6.3
import PackageDescription

/// The settings of the library's own targets.
let commonSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// The traits of the library.
///
/// `scripts/swiftpm` makes the checks build it with the same traits everywhere, so that it is compiled once.
let traits: Set<Package.Dependency.Trait> =
    Context.environment["HTTPCLIENT_ALL_TRAITS"] == nil ? ["Brotli", "IDN", "Zstd"] : [.defaults]

let package = Package(
    name: "CLI",
    products: [.executable(name: "fetch", targets: ["fetch"])],
    dependencies: [
        .package(name: "HTTPClient", path: "..", traits: traits),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "fetch",
            dependencies: [
                .product(name: "HTTPClient", package: "HTTPClient"),
                .product(name: "HTTPClientReports", package: "HTTPClient"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "FetchTests",
            dependencies: [
                "fetch", .product(name: "HTTPClientTesting", package: "HTTPClient"),
            ],
            swiftSettings: commonSettings
        ),
    ]
)
