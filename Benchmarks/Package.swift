// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "HTTPClient", path: "..")],
    targets: [
        .target(name: "CAllocations"),
        .target(name: "CMemory"),
        .executableTarget(
            name: "http-bench",
            dependencies: [.product(name: "HTTPClient", package: "HTTPClient"), "CMemory"],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .executableTarget(
            name: "wire-bench",
            dependencies: [.product(name: "Wire", package: "HTTPClient"), "CAllocations"],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
)
