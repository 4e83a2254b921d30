// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target: Swift 6 with upcoming features, and warnings as errors.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The commit that the program is built from. `HEADWATER_COMMIT` has precedence, because SwiftPM caches the output of git.
let commit = Context.environment["HEADWATER_COMMIT"] ?? Context.gitInformation?.currentCommit ?? "unknown"

let package = Package(
    name: "Headwater",
    // What the client of apps needs. Everything else is for Linux.
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        // For features and programs of other packages: docs/own-program.md.
        .library(name: "Reactive", targets: ["Reactive"]),
        .library(name: "JSON", targets: ["JSON"]),
        .library(name: "StateModel", targets: ["StateModel"]),
        .library(name: "StateStore", targets: ["StateStore"]),
        .library(name: "HeadwaterServer", targets: ["HeadwaterServer"]),
        .library(name: "FeatureTesting", targets: ["FeatureTesting"]),
        // For apps and tools: docs/swift-client.md.
        .library(name: "HeadwaterClient", targets: ["HeadwaterClient"]),
        // For tests of apps: the service in process. Linux only.
        .library(name: "ClientTesting", targets: ["ClientTesting"]),
        .executable(name: "headwater", targets: ["headwater"]),
        .library(name: "FaultyDisk", type: .dynamic, targets: ["FaultyDisk"]),
    ],
    targets: [
        // The model: modules without threads and files, which import no module of the system. Servers and clients run them.
        // One of each: calendar, hash, spelling, allowance of work.
        .target(name: "CAllowance"),
        .target(name: "Ground", dependencies: ["CAllowance"], swiftSettings: settings + [.strictMemorySafety()]),
        .target(name: "Reactive", swiftSettings: settings + [.strictMemorySafety()]),
        // Lifetimes: a reader borrows its bytes, and the compiler checks the borrow.
        .target(
            name: "JSON", swiftSettings: settings + [.strictMemorySafety(), .enableExperimentalFeature("Lifetimes")]),

        // Features, values, commits, rules, encodings.
        .target(
            name: "StateModel", dependencies: ["Ground", "Reactive", "JSON", "Expressions"], swiftSettings: settings),
        .target(name: "Expressions", dependencies: ["Ground", "JSON"], swiftSettings: settings),
        .target(name: "Schemas", dependencies: ["Ground", "JSON", "Expressions"], swiftSettings: settings),
        .target(
            name: "Streams", dependencies: ["Ground", "Reactive", "JSON", "StateModel", "Expressions"],
            swiftSettings: settings),
        // Features as documents: they compile to variables, tables, actions and observables.
        .target(
            name: "Documents",
            dependencies: ["Ground", "Reactive", "JSON", "StateModel", "Expressions", "Schemas", "Streams"],
            swiftSettings: settings),

        // The host. One of each: lock, condition, thread, clock.
        .target(name: "Platform", swiftSettings: settings + [.strictMemorySafety()]),
        // Spaces, their journals, the past, deployment.
        .target(
            name: "StateStore", dependencies: ["Ground", "Platform", "Reactive", "JSON", "StateModel"],
            swiftSettings: settings),
        // Documents and streams on a store: their directory, their tests, the history of their space.
        .target(
            name: "Hosting",
            dependencies: [
                "Ground", "Platform", "Reactive", "JSON", "StateStore", "Expressions", "Streams", "Documents",
            ],
            swiftSettings: settings),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "Compression", dependencies: ["CZlib"], swiftSettings: settings + [.strictMemorySafety()]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "SQLiteJournal", dependencies: ["Platform", "Ground", "StateStore", "JSON", "CLinux", "CSQLite"],
            swiftSettings: settings + [.strictMemorySafety()]),
        // The journal of a cluster: an SQLite copy of a log that several machines share.
        .target(
            name: "ReplicatedJournal", dependencies: ["Platform", "Ground", "Reactive", "StateStore", "SQLiteJournal"],
            swiftSettings: settings),
        // A shim that loads libnats at its first use.
        .target(name: "CNATS"),
        // The log of a cluster in the streams of NATS JetStream.
        .target(
            name: "NATSLog", dependencies: ["Platform", "Ground", "JSON", "ReplicatedJournal", "CNATS"],
            swiftSettings: settings),
        // A shim that loads libcurl at its first use.
        .target(name: "CCurl"),
        // A shim that loads libcrypto at its first use.
        .target(name: "CCrypto"),
        .target(
            name: "Outgoing", dependencies: ["Platform", "Ground", "StateStore", "CCurl"], swiftSettings: settings),
        // The example features see public declarations only, like any feature.
        .target(
            name: "Systems", dependencies: ["Reactive", "JSON", "StateStore"], packageAccess: false,
            swiftSettings: settings),

        // The functions that the Glibc module lacks: epoll, eventfd, signalfd.
        .target(name: "CLinux"),
        .target(name: "Sockets", dependencies: ["Platform", "Ground", "CLinux"], swiftSettings: settings),
        .target(
            name: "HTTP", dependencies: ["Platform", "Ground", "Sockets", "Compression"],
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        // The embedded files, and the commit that the program is built from.
        .target(
            name: "CAssets", exclude: ["Client", "Console"],
            cSettings: [.define("HEADWATER_COMMIT", to: "\"\(commit.prefix(12))\"")]),
        .target(
            name: "HeadwaterServer",
            dependencies: [
                "Platform", "Hosting",
                "Ground", "CAssets", "CCrypto", "Reactive", "JSON", "StateStore", "SQLiteJournal", "Outgoing",
                "ReplicatedJournal", "NATSLog",
                "Expressions",
                "Streams", "Documents", "Sockets",
                "HTTP", "CLinux",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "headwater", dependencies: ["HeadwaterServer", "Systems"], swiftSettings: settings),

        // What tests of features need: the features without a network, on a virtual clock.
        .target(
            name: "FeatureTesting", dependencies: ["Reactive", "JSON", "StateStore", "ScriptedOutside"],
            swiftSettings: settings),

        // A client for apps. It compiles for Apple's platforms too, so it imports the model and nothing of the server.
        .target(name: "HeadwaterClient", dependencies: ["JSON", "Reactive", "StateModel"], swiftSettings: settings),

        // What tests of apps need: the service behind clients, in one process, on a virtual clock.
        .target(
            name: "ClientTesting",
            dependencies: ["Ground", "HeadwaterClient", "JSON", "StateStore", "ClientWorld", "ServiceInProcess"],
            swiftSettings: settings),

        .target(name: "CountedAllocations", path: "Benchmarks/CountedAllocations"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Platform", "Hosting",
                "ServerReads", "Ground", "Reactive", "JSON", "Compression", "Expressions", "StateStore", "Streams",
                "Documents",
                "Systems",
                "SQLiteJournal", "Sockets", "HeadwaterServer", "CSQLite",
                "CLinux",
                "CountedAllocations",
            ],
            path: "Benchmarks", exclude: ["CountedAllocations", "Scale"], swiftSettings: settings),
        // A model of a cluster's size, fed with measured costs.
        .target(name: "ScaleModel", path: "Benchmarks/Scale/Model", swiftSettings: settings),
        .executableTarget(
            name: "Scale", dependencies: ["ScaleModel"], path: "Benchmarks/Scale/Program", swiftSettings: settings),
        .testTarget(name: "ScaleModelTests", dependencies: ["ScaleModel"], swiftSettings: settings),

        .testTarget(
            name: "FeatureTestingTests", dependencies: ["FeatureTesting", "StateStore", "Reactive", "JSON"],
            swiftSettings: settings),
        .testTarget(name: "GroundTests", dependencies: ["Platform", "Ground"], swiftSettings: settings),
        .testTarget(name: "ReactiveTests", dependencies: ["Reactive"], swiftSettings: settings),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: settings),
        // A reader of gzip by zlib's inflate.
        .target(name: "GzipReading", dependencies: ["CZlib"], path: "Tests/GzipReading", swiftSettings: settings),
        .testTarget(
            name: "CompressionTests", dependencies: ["Compression", "GzipReading"], swiftSettings: settings),
        .testTarget(
            name: "StateStoreTests",
            dependencies: [
                "Platform",
                "Ground", "ServerReads", "StateStore", "Reactive", "JSON", "JournalContract", "ScriptedOutside",
                "ScriptedDocuments",
            ],
            swiftSettings: settings),
        // Reads of tests, as the server itself.
        .target(name: "ServerReads", dependencies: ["StateStore"], path: "Tests/ServerReads", swiftSettings: settings),
        // An outside world that tests write.
        .target(
            name: "ScriptedOutside", dependencies: ["StateStore"], path: "Tests/ScriptedOutside",
            swiftSettings: settings),
        // A compiler of documents that tests write by hand.
        .target(
            name: "ScriptedDocuments", dependencies: ["StateStore", "Reactive", "JSON"],
            path: "Tests/ScriptedDocuments", swiftSettings: settings),
        .testTarget(
            name: "SystemsTests",
            dependencies: [
                "Hosting", "ServerReads", "Systems", "StateStore", "Reactive", "JSON", "ScriptedOutside", "Documents",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "OutgoingTests", dependencies: ["ServerReads", "Outgoing", "Systems", "StateStore", "Reactive"],
            swiftSettings: settings),
        .testTarget(
            name: "ExpressionsTests", dependencies: ["Ground", "Platform", "Expressions", "JSON"], exclude: ["Cases"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SchemasTests", dependencies: ["Schemas", "JSON", "Expressions"], swiftSettings: settings),
        .testTarget(
            name: "DocumentsTests",
            dependencies: [
                "Platform", "Hosting",
                "ServerReads", "Documents", "Expressions", "Schemas", "StateStore", "Reactive", "JSON",
                "ScriptedDocuments",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StreamsTests",
            dependencies: ["Hosting", "ServerReads", "Streams", "Reactive", "JSON", "StateStore"],
            swiftSettings: settings),
        .testTarget(
            name: "SocketsTests", dependencies: ["Platform", "Ground", "Sockets", "CLinux"], swiftSettings: settings),
        .testTarget(
            name: "OpenAPITests", dependencies: ["TwoWorlds", "HeadwaterServer", "JSON", "Streams", "YAMLReading"],
            swiftSettings: settings),
        .testTarget(
            name: "HTTPTests", dependencies: ["Ground", "HTTP", "Sockets", "Compression", "GzipReading"],
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        // A reader of the YAML of `openapi.yaml`.
        .target(name: "YAMLReading", dependencies: ["JSON"], path: "Tests/YAMLReading", swiftSettings: settings),
        // The whole service without threads and ports, and a generator of what may be sent to it.
        .target(
            name: "ServiceInProcess",
            dependencies: [
                "HeadwaterServer", "Systems", "HTTP", "JSON", "Sockets", "StateStore", "Streams", "GzipReading",
                "YAMLReading",
            ],
            path: "Tests/ServiceInProcess",
            swiftSettings: settings),
        // A loop, a network and a disk for clients, with faults.
        .target(
            name: "ClientWorld", dependencies: ["HeadwaterClient", "ServiceInProcess"], path: "Tests/ClientWorld",
            swiftSettings: settings),
        .testTarget(
            name: "HeadwaterClientTests",
            dependencies: [
                "Hosting",
                "HeadwaterClient", "ClientTesting", "ClientWorld", "ServiceInProcess", "Documents", "JSON", "Reactive",
                "StateModel",
                "StateStore", "Systems",
            ],
            swiftSettings: settings),
        // Two services that differ only in what a caller may not read.
        .target(
            name: "TwoWorlds",
            dependencies: [
                "Hosting",
                "Documents", "HeadwaterServer", "JSON", "Outgoing", "Reactive", "ScriptedOutside", "ServiceInProcess",
                "StateStore",
            ],
            path: "Tests/TwoWorlds", swiftSettings: settings),
        .executableTarget(
            name: "WorldSeeds", dependencies: ["TwoWorlds"], path: "Tests/WorldSeeds", swiftSettings: settings),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Platform", "Hosting",
                "Ground", "ServiceInProcess", "TwoWorlds", "HeadwaterServer", "HTTP", "JSON", "Outgoing", "StateStore",
                "Systems",
                "GzipReading", "ScriptedOutside", "ScriptedDocuments", "Documents", "SQLiteJournal",
            ],
            swiftSettings: settings),
        // The program itself over real sockets.
        .testTarget(
            name: "HeadwaterTests",
            dependencies: [
                "Platform",
                "Ground", "SQLiteJournal", "HeadwaterServer", "headwater", "JSON", "Reactive", "StateStore", "Sockets",
                "DiskFaults", "GzipReading", "ServiceInProcess", "NATSServers", "HeadwaterClient",
            ],
            swiftSettings: settings
        ),
        // The tests that every journal must pass, and a process to kill.
        .target(
            name: "JournalContract", dependencies: ["StateStore"], path: "Tests/JournalContract",
            swiftSettings: settings),
        // A preloaded library that records a program's writes and syncs, and makes calls fail.
        .target(name: "FaultyDisk", path: "Tests/FaultyDisk"),
        .target(name: "DiskFaults", path: "Tests/DiskFaults", swiftSettings: settings),
        // The tests that every shared log must pass.
        .target(
            name: "LogContract", dependencies: ["Platform", "Ground", "ReplicatedJournal"], path: "Tests/LogContract",
            swiftSettings: settings),
        // Servers of NATS for one test.
        .target(name: "NATSServers", path: "Tests/NATSServers", swiftSettings: settings),
        .testTarget(
            name: "NATSLogTests",
            dependencies: [
                "Ground", "NATSLog", "ReplicatedJournal", "SQLiteJournal", "StateStore", "LogContract", "NATSServers",
                "JSON",
            ],
            swiftSettings: settings),
        // The checker of what clients of a cluster observe, and its program.
        .target(
            name: "HistoryChecking", dependencies: ["JSON"], path: "Tests/HistoryChecking", swiftSettings: settings),
        .executableTarget(
            name: "HistoryCheck", dependencies: ["HistoryChecking"], path: "Tests/HistoryCheck",
            swiftSettings: settings),
        .testTarget(name: "HistoryCheckingTests", dependencies: ["HistoryChecking"], swiftSettings: settings),
        .executableTarget(
            name: "JournalChild", dependencies: ["ServerReads", "SQLiteJournal", "StateStore", "Systems", "Reactive"],
            path: "Tests/JournalChild",
            swiftSettings: settings),
        // Three nodes and their log in one process, in virtual time, with faults.
        .target(
            name: "SimulatedCluster",
            dependencies: [
                "Platform", "Hosting",
                "ServerReads", "Ground", "Reactive", "JSON", "StateStore", "SQLiteJournal", "ReplicatedJournal",
                "Documents",
                "Streams",
            ],
            path: "Tests/SimulatedCluster", swiftSettings: settings),
        // The whole service on each of these nodes, and clients that move between them.
        .target(
            name: "SimulatedService",
            dependencies: [
                "Ground", "Reactive", "JSON", "Sockets", "StateStore", "ReplicatedJournal", "HeadwaterServer",
                "SimulatedCluster", "HistoryChecking",
            ],
            path: "Tests/SimulatedService", swiftSettings: settings),
        .testTarget(
            name: "SimulatedServiceTests",
            dependencies: [
                "SimulatedService", "SimulatedCluster", "HistoryChecking", "ReplicatedJournal", "StateStore",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "ClusterSeeds", dependencies: ["SimulatedCluster", "SimulatedService"], path: "Tests/ClusterSeeds",
            swiftSettings: settings),
        .testTarget(
            name: "ReplicatedJournalTests",
            dependencies: [
                "Platform",
                "ServerReads", "Ground", "Reactive", "JSON", "StateStore", "SQLiteJournal", "ReplicatedJournal",
                "SimulatedCluster",
                "LogContract",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SQLiteJournalTests",
            dependencies: [
                "Platform",
                "ServerReads", "Ground", "SQLiteJournal", "StateStore", "JSON", "Systems", "Reactive",
                "JournalContract",
                "JournalChild",
                "DiskFaults",
            ],
            swiftSettings: settings),
    ]
)

// The chapter of each module of Swift stands beside its code: README.md.
for target in package.targets where target.path == nil && target.type != .test && target.swiftSettings != nil {
    target.exclude.append("README.md")
}

// Fuzz targets need the main of libFuzzer, which `Scripts/fuzz` provides. Other builds only compile them.
let fuzzed: [(name: String, dependencies: [Target.Dependency], settings: [SwiftSetting])] = [
    ("JSON", ["JSON"], []), ("JSONPatch", ["JSON"], []), ("HTTP", ["HTTP"], [.enableExperimentalFeature("Lifetimes")]),
    ("Expressions", ["Expressions", "JSON"], []), ("Documents", ["Hosting", "Documents", "JSON", "StateStore"], []),
    ("Service", ["ServiceInProcess"], []),
]
for (name, dependencies, more) in fuzzed {
    let (name, path, settings) = ("Fuzz\(name)", "Fuzz/\(name)", settings + more)
    package.targets.append(
        Context.environment["HEADWATER_FUZZ"] == "1"
            ? .executableTarget(
                name: name, dependencies: dependencies, path: path, exclude: ["Corpus"], swiftSettings: settings)
            : .target(name: name, dependencies: dependencies, path: path, exclude: ["Corpus"], swiftSettings: settings))
}
