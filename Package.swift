// swift-tools-version: 6.3
import PackageDescription

/// The settings of every Swift target in this package.
let commonSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    // A protocol that is used as a type needs `any`.
    .enableUpcomingFeature("ExistentialAny"),
    // An import does not become public by accident.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // A file sees only members of the modules that it imports.
    .enableUpcomingFeature("MemberImportVisibility"),
    // An async function runs on the executor of its caller.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // The isolation of conformances is inferred.
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// The settings of Wire, whose scanner calls one CPU instruction directly where it is available.
///
/// The feature changes nothing for modules that import Wire, and Wire also builds without it.
let wire: [SwiftSetting] = commonSettings + [.enableExperimentalFeature("BuiltinModule")]

/// Returns a dependency on a product of another package, if a trait of this package is enabled.
func optional(_ product: String, of package: String, with trait: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: [trait]))
}

/// Returns a target with the tests of some folders of the three modules of the client.
///
/// They are several targets, so that a change of one test compiles the tests around it, and not all of them.
func testsOfClient(_ name: String, in folder: String, _ more: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name,
        dependencies: [
            "ClientSupport", "HTTPClient", "HTTPClientPolicies", "HTTPClientReports",
            "HTTPClientTesting", "HTTPTestServer", "SocketTransport", "Support", "Wire",
        ] + more,
        path: "Tests/HTTPClientTests/\(folder)",
        swiftSettings: commonSettings
    )
}

let package = Package(
    name: "HTTPClient",
    products: [
        .library(name: "HTTPClient", targets: ["HTTPClient"]),
        .library(name: "HTTPClientReports", targets: ["HTTPClientReports"]),
        .library(name: "HTTPClientTesting", targets: ["HTTPClientTesting"]),
        .library(name: "Wire", targets: ["Wire"]),
        .library(name: "WireForensics", targets: ["WireForensics"]),
        .library(name: "HTTPTestServer", targets: ["HTTPTestServer"]),
    ],
    traits: [
        .trait(
            name: "Brotli",
            description: "The content coding br (links libbrotlidec: apt install libbrotli-dev)."
        ),
        .trait(
            name: "Foundation",
            description: "URL, Data, Date and Codable conveniences (FoundationEssentials)."
        ),
        .trait(
            name: "HTTPTypes",
            description: "Conversions to and from the types of swift-http-types."
        ),
        .trait(
            name: "IDN",
            description:
                "International host names by UTS 46 (links libidn2: apt install libidn2-dev)."
        ),
        .trait(name: "Logging", description: "An observer that logs calls (swift-log)."),
        .trait(name: "Metrics", description: "An observer that measures requests (swift-metrics)."),
        .trait(name: "OpenCombine", description: "Publishers of calls (OpenCombine)."),
        .trait(
            name: "ServiceLifecycle",
            description: "A service that drains a client on shutdown (swift-service-lifecycle)."
        ),
        .trait(
            name: "Tracing",
            description: "An interceptor that makes spans (swift-distributed-tracing)."
        ),
        .trait(
            name: "Zstd",
            description: "The content coding zstd (links libzstd: apt install libzstd-dev)."
        ),
        .default(enabledTraits: ["Foundation"]),
    ],
    dependencies: [
        // Each package is fetched only if its trait is enabled.
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        // The package's own trait adds Foundation's URL, which this package does not use.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "CSSL",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]
        ),
        // These declare the few functions that are called, and their module maps link the libraries. A build that
        // does not import them needs no -dev package, which scripts/check-consumer proves. They have no pkgConfig
        // and no provider. With them SwiftPM would warn where the -dev package is missing, even if a condition
        // excludes the target.
        .systemLibrary(name: "CBrotli"),
        .systemLibrary(name: "CIDN"),
        .systemLibrary(name: "CZstd"),
        .target(
            name: "Wire",
            dependencies: [
                "CZlib",
                .target(name: "CBrotli", condition: .when(traits: ["Brotli"])),
                .target(name: "CIDN", condition: .when(traits: ["IDN"])),
                .target(name: "CZstd", condition: .when(traits: ["Zstd"])),
            ],
            swiftSettings: wire
        ),
        .target(name: "WireForensics", dependencies: ["Wire"], swiftSettings: commonSettings),
        .target(name: "SocketTransport", dependencies: ["CSSL"], swiftSettings: commonSettings),
        // HTTPClient exports the next two. One module for the three would need twice the memory to compile.
        .target(
            name: "HTTPClientModel",
            dependencies: ["Wire", "SocketTransport"],
            swiftSettings: commonSettings
        ),
        .target(
            name: "HTTPClientPolicies",
            dependencies: ["HTTPClientModel", "Wire", "SocketTransport"],
            swiftSettings: commonSettings
        ),
        .target(
            name: "HTTPClient",
            dependencies: [
                "HTTPClientModel", "HTTPClientPolicies", "Wire", "SocketTransport",
                optional("OpenCombine", of: "OpenCombine", with: "OpenCombine"),
                optional("HTTPTypes", of: "swift-http-types", with: "HTTPTypes"),
                optional("Logging", of: "swift-log", with: "Logging"),
                // The product Metrics imports Foundation; CoreMetrics does not.
                optional("CoreMetrics", of: "swift-metrics", with: "Metrics"),
                optional("Tracing", of: "swift-distributed-tracing", with: "Tracing"),
                optional(
                    "ServiceLifecycle",
                    of: "swift-service-lifecycle",
                    with: "ServiceLifecycle"
                ),
            ],
            swiftSettings: commonSettings
        ),
        .target(
            name: "HTTPClientReports",
            dependencies: ["HTTPClient", "SocketTransport", "Wire"],
            swiftSettings: commonSettings
        ),
        .target(
            name: "HTTPClientTesting",
            dependencies: ["HTTPClient", "SocketTransport", "Wire"],
            swiftSettings: commonSettings
        ),
        .target(
            name: "HTTPTestServer",
            dependencies: ["Wire", "SocketTransport", "CSSL"],
            swiftSettings: commonSettings
        ),

        .target(
            name: "Support",
            dependencies: ["HTTPTestServer", "SocketTransport"],
            path: "Tests/Support",
            swiftSettings: commonSettings
        ),
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .testTarget(
            name: "WireTests",
            dependencies: ["Wire", "WireForensics", "Support", "FuzzProperties", "CAllocations"],
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "SocketTransportTests",
            dependencies: ["HTTPTestServer", "SocketTransport", "Support", "CSSL"],
            swiftSettings: commonSettings
        ),
        // What several of the next targets share.
        .target(
            name: "ClientSupport",
            dependencies: ["HTTPClient", "HTTPTestServer", "SocketTransport", "Support", "Wire"],
            path: "Tests/HTTPClientTests/Support",
            swiftSettings: commonSettings
        ),
        testsOfClient("ModelTests", in: "Model"),
        testsOfClient("PoliciesTests", in: "Policies"),
        testsOfClient("StoresTests", in: "Stores", ["CAllocations"]),
        testsOfClient("TransferTests", in: "Transfer", ["CAllocations"]),
        testsOfClient("CallTests", in: "Call"),
        testsOfClient(
            "ClientTests",
            in: "Client",
            ["CAllocations", "ClientProperties", "FuzzProperties"]
        ),
        .testTarget(
            name: "HTTPClientReportsTests",
            dependencies: [
                "ClientSupport", "HTTPClient", "HTTPClientReports", "HTTPTestServer",
                "SocketTransport", "Support", "Wire",
            ],
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "HTTPClientTestingTests",
            dependencies: [
                "ClientSupport", "HTTPClient", "HTTPClientTesting", "HTTPTestServer", "Support",
            ],
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "HTTPTestServerTests",
            dependencies: ["HTTPClient", "HTTPTestServer", "SocketTransport", "Support"],
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "SeedTests",
            dependencies: [
                "HTTPClient", "HTTPClientTesting", "HTTPTestServer", "SocketTransport", "Support",
            ],
            swiftSettings: commonSettings
        ),
        .testTarget(
            name: "SupportTests",
            dependencies: ["SocketTransport", "Support"],
            swiftSettings: commonSettings
        ),
        .testTarget(name: "HouseTests", dependencies: ["Support"], swiftSettings: commonSettings),

        .target(
            name: "FuzzProperties",
            dependencies: ["Wire"],
            path: "Fuzz/Properties",
            swiftSettings: commonSettings
        ),
        .target(
            name: "ClientProperties",
            dependencies: ["FuzzProperties", "HTTPClient"],
            path: "Fuzz/ClientProperties",
            swiftSettings: commonSettings
        ),
    ]
)

// The checks, which set the variable, build the library with all traits, and all packages that use it in the same
// folder. SwiftPM passes the traits to the compiler in an order that depends on where they are enabled, so a list in
// each package would compile the library again.
if Context.environment["HTTPCLIENT_ALL_TRAITS"] != nil {
    let names = package.traits.map(\.name).filter { $0 != "default" }
    package.traits = package.traits.filter { $0.name != "default" }
    package.traits.insert(.default(enabledTraits: Set(names)))
}

// The programs of scripts/fuzz, soak and crash, which set the variable. Each links the whole library, so they
// are not built with the tests.
if Context.environment["HTTPCLIENT_PROGRAMS"] != nil {
    package.targets += [
        .executableTarget(
            name: "FuzzTargets",
            dependencies: ["ClientProperties", "FuzzProperties"],
            path: "Fuzz/Targets",
            swiftSettings: commonSettings
        ),
        .executableTarget(
            name: "Soak",
            dependencies: ["HTTPClient", "SocketTransport", "Support", "CSSL", "CAllocations"],
            path: "Tests/Soak",
            swiftSettings: commonSettings
        ),
        .executableTarget(
            name: "Crash",
            dependencies: ["HTTPClient"],
            path: "Tests/Crash",
            swiftSettings: commonSettings
        ),
        .executableTarget(
            name: "Footprint",
            dependencies: ["HTTPClient", "HTTPTestServer", "Support"],
            path: "Tests/Footprint",
            swiftSettings: commonSettings
        ),
    ]
}
