// swift-tools-version: 6.3
import PackageDescription

/// The settings of the library's targets.
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

// This is a separate package, so that the library's own build does not include it.
let package = Package(
    name: "Interop",
    dependencies: [.package(name: "HTTPClient", path: "../..")],
    targets: [
        .executableTarget(
            name: "Interop",
            dependencies: [.product(name: "HTTPClient", package: "HTTPClient")],
            swiftSettings: commonSettings
        )
    ]
)
