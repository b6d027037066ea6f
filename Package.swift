// swift-tools-version: 6.3
import PackageDescription

/// What every Swift target of this package is built with (CONTRIBUTING.md says why each).
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

/// What Wire is built with besides: its scanner asks for one instruction by name, where it can.
///
/// The feature changes nothing for those who import Wire, and Wire builds without it.
let wire: [SwiftSetting] = house + [.enableExperimentalFeature("BuiltinModule")]

let package = Package(
    name: "HTTPClient",
    products: [
        .library(name: "HTTPClient", targets: ["HTTPClient"]),
        .library(name: "Wire", targets: ["Wire"]),
        .library(name: "HTTPTestServer", targets: ["HTTPTestServer"]),
    ],
    traits: [
        .trait(
            name: "Foundation",
            description: "URL, Data, Date and Codable conveniences (FoundationEssentials)."
        ),
        .trait(name: "OpenCombine", description: "Publishers of calls (OpenCombine)."),
        .default(enabledTraits: ["Foundation"]),
    ],
    dependencies: [
        // Fetched only where the trait is on.
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")
    ],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "CSSL",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]
        ),
        .target(name: "Wire", dependencies: ["CZlib"], swiftSettings: wire),
        .target(name: "SocketTransport", dependencies: ["CSSL"], swiftSettings: house),
        .target(
            name: "HTTPClient",
            dependencies: [
                "Wire", "SocketTransport",
                .product(
                    name: "OpenCombine",
                    package: "OpenCombine",
                    condition: .when(traits: ["OpenCombine"])
                ),
            ],
            swiftSettings: house
        ),
        .target(
            name: "HTTPTestServer",
            dependencies: ["Wire", "SocketTransport"],
            swiftSettings: house
        ),

        .target(
            name: "Support",
            dependencies: ["SocketTransport"],
            path: "Tests/Support",
            swiftSettings: house
        ),
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .executableTarget(
            name: "Soak",
            dependencies: ["HTTPClient", "SocketTransport", "Support", "CSSL"],
            path: "Tests/Soak",
            swiftSettings: house
        ),
        .executableTarget(
            name: "Footprint",
            dependencies: ["HTTPClient", "Support"],
            path: "Tests/Footprint",
            swiftSettings: house
        ),
        .testTarget(
            name: "WireTests",
            dependencies: ["Wire", "Support", "FuzzProperties", "CAllocations"],
            swiftSettings: house
        ),
        .testTarget(
            name: "SocketTransportTests",
            dependencies: ["SocketTransport", "Support"],
            swiftSettings: house
        ),
        .testTarget(
            name: "HTTPClientTests",
            dependencies: ["HTTPClient", "HTTPTestServer", "Support", "CAllocations"],
            swiftSettings: house
        ),
        .testTarget(
            name: "HTTPTestServerTests",
            dependencies: ["HTTPClient", "HTTPTestServer", "SocketTransport", "Support"],
            swiftSettings: house
        ),
        .testTarget(
            name: "SeedTests",
            dependencies: ["HTTPClient", "HTTPTestServer", "SocketTransport", "Support"],
            swiftSettings: house
        ),
        .testTarget(
            name: "SupportTests",
            dependencies: ["SocketTransport", "Support"],
            swiftSettings: house
        ),
        .testTarget(name: "HouseTests", dependencies: ["Support"], swiftSettings: house),

        .target(
            name: "FuzzProperties",
            dependencies: ["Wire"],
            path: "Fuzz/Properties",
            swiftSettings: house
        ),
    ]
        + [
            "Chunked", "Exchange", "Inflate", "RequestHead", "ResponseHead", "RoundTrip", "Scanner",
            "Structured", "URI",
        ].map { subject in
            .executableTarget(
                name: "\(subject)Fuzz",
                dependencies: ["FuzzProperties"],
                path: "Fuzz/\(subject)Fuzz",
                swiftSettings: house
            )
        }
)
