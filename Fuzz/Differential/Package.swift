// swift-tools-version: 6.3
import PackageDescription

// This is a separate package, so that the library does not depend on another parser.
let package = Package(
    name: "Differential",
    dependencies: [.package(name: "HTTPClient", path: "../..")],
    targets: [
        .systemLibrary(name: "CHTTPParser", providers: [.apt(["libhttp-parser-dev"])]),
        .executableTarget(
            name: "DifferentialFuzz",
            dependencies: ["CHTTPParser", .product(name: "Wire", package: "HTTPClient")],
            swiftSettings: [
                .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
            ]
        ),
    ]
)
