// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with: the language as it will be, and no warning left standing.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Debug builds, and so every test, check exclusive access at run time; a release has been through them.
    // A request goes through most modules: the compiler may look into all of them.
    .unsafeFlags(["-enforce-exclusivity=unchecked", "-cross-module-optimization"], .when(configuration: .release)),
]

/// How a release is linked: with Swift's libraries inside, so that one file is the whole server and a call into them is a plain call.
let alone: [LinkerSetting] = [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]

/// The commit that the program is built from. `HEADWATER_COMMIT` wins, because SwiftPM remembers what git said when it read this file last.
let commit = Context.environment["HEADWATER_COMMIT"] ?? Context.gitInformation?.currentCommit ?? "unknown"

let package = Package(
    name: "Headwater",
    products: [
        .executable(name: "headwater", targets: ["headwater"]),
        .library(name: "FaultyDisk", type: .dynamic, targets: ["FaultyDisk"]),
    ],
    targets: [
        // One of each: calendar, lock, condition, thread, hash.
        .target(name: "Ground", swiftSettings: settings + [.strictMemorySafety()]),
        .target(name: "Reactive", swiftSettings: settings + [.strictMemorySafety()]),
        // Lifetimes: a reader borrows its bytes, and the compiler holds it to that.
        .target(name: "JSON", swiftSettings: settings + [.strictMemorySafety(), .enableExperimentalFeature("Lifetimes")]),

        .target(name: "StateStore", dependencies: ["Ground", "Reactive", "JSON"], swiftSettings: settings),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "SQLiteJournal", dependencies: ["StateStore", "JSON", "CSQLite"], swiftSettings: settings + [.strictMemorySafety()]),
        // A shim that finds libcurl when it is first needed.
        .target(name: "CCurl"),
        .target(name: "Outgoing", dependencies: ["StateStore", "CCurl"], swiftSettings: settings),
        // Features see of the house what anybody's would: what is public.
        .target(name: "Systems", dependencies: ["Reactive", "JSON", "StateStore"], packageAccess: false, swiftSettings: settings),

        .target(name: "Expressions", dependencies: ["JSON"], swiftSettings: settings),
        .target(name: "Streams", dependencies: ["Reactive", "JSON", "StateStore", "Expressions"], swiftSettings: settings),

        // What Glibc's own module does not show: epoll, eventfd, signalfd.
        .target(name: "CLinux"),
        .target(name: "Sockets", dependencies: ["CLinux"], swiftSettings: settings),
        .target(name: "HTTP", dependencies: ["Sockets"], swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        // Files that are built into the program, and the commit that it is built from.
        .target(name: "CAssets", exclude: ["Console"], cSettings: [.define("HEADWATER_COMMIT", to: "\"\(commit.prefix(12))\"")]),
        .target(
            name: "HeadwaterServer",
            dependencies: [
                "CAssets", "Ground", "Reactive", "JSON", "StateStore", "SQLiteJournal", "Outgoing", "Systems", "Expressions", "Streams",
                "Sockets", "HTTP",
            ],
            swiftSettings: settings),
        .executableTarget(name: "headwater", dependencies: ["HeadwaterServer"], swiftSettings: settings, linkerSettings: alone),

        .target(name: "CountedAllocations", path: "Benchmarks/CountedAllocations"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Reactive", "JSON", "Expressions", "StateStore", "Streams", "Systems", "SQLiteJournal", "CSQLite", "CLinux",
                "CountedAllocations",
            ],
            path: "Benchmarks", exclude: ["CountedAllocations"], swiftSettings: settings),

        .testTarget(name: "GroundTests", dependencies: ["Ground"], swiftSettings: settings),
        .testTarget(name: "ReactiveTests", dependencies: ["Reactive"], swiftSettings: settings),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: settings),
        .testTarget(
            name: "StateStoreTests", dependencies: ["StateStore", "Reactive", "JSON", "JournalContract", "ScriptedOutside"],
            swiftSettings: settings),
        // An outside world that tests write.
        .target(name: "ScriptedOutside", dependencies: ["StateStore"], path: "Tests/ScriptedOutside", swiftSettings: settings),
        .testTarget(
            name: "SystemsTests", dependencies: ["Systems", "StateStore", "Reactive", "JSON", "ScriptedOutside"], swiftSettings: settings),
        .testTarget(
            name: "OutgoingTests", dependencies: ["Outgoing", "Systems", "StateStore", "Reactive"], swiftSettings: settings),
        .testTarget(
            name: "ExpressionsTests", dependencies: ["Expressions", "JSON"], exclude: ["Cases"], swiftSettings: settings),
        .testTarget(name: "StreamsTests", dependencies: ["Streams", "Reactive", "JSON", "StateStore"], swiftSettings: settings),
        .testTarget(name: "SocketsTests", dependencies: ["Sockets", "CLinux"], swiftSettings: settings),
        .testTarget(name: "OpenAPITests", dependencies: ["HeadwaterServer", "JSON", "Streams"], swiftSettings: settings),
        .testTarget(
            name: "HTTPTests", dependencies: ["HTTP", "Sockets"], swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
        // The whole service without threads and ports, and a generator of what may be sent to it.
        .target(
            name: "ServiceInProcess", dependencies: ["HeadwaterServer", "HTTP", "JSON", "Sockets", "Streams"],
            path: "Tests/ServiceInProcess",
            swiftSettings: settings),
        .testTarget(
            name: "ServiceTests", dependencies: ["ServiceInProcess", "HeadwaterServer", "HTTP", "JSON", "StateStore"],
            swiftSettings: settings),
        // The program itself, over real sockets.
        .testTarget(
            name: "HeadwaterTests", dependencies: ["HeadwaterServer", "headwater", "JSON", "Sockets", "DiskFaults"], swiftSettings: settings
        ),
        // What every journal must do, to be tested on each; and a process to be killed.
        .target(name: "JournalContract", dependencies: ["StateStore"], path: "Tests/JournalContract", swiftSettings: settings),
        // A library to be preloaded: it records what a program writes and syncs, and lets calls fail.
        .target(name: "FaultyDisk", path: "Tests/FaultyDisk"),
        .target(name: "DiskFaults", path: "Tests/DiskFaults", swiftSettings: settings),
        .executableTarget(
            name: "JournalChild", dependencies: ["SQLiteJournal", "StateStore", "Systems", "Reactive"], path: "Tests/JournalChild",
            swiftSettings: settings),
        .testTarget(
            name: "SQLiteJournalTests",
            dependencies: ["SQLiteJournal", "StateStore", "JSON", "Systems", "Reactive", "JournalContract", "JournalChild", "DiskFaults"],
            swiftSettings: settings),
    ]
)

// Fuzz targets need libFuzzer for a main, which `Scripts/fuzz` brings: no other build knows of them.
if Context.environment["HEADWATER_FUZZ"] == "1" {
    package.targets.append(
        .executableTarget(
            name: "FuzzJSON", dependencies: ["JSON"], path: "Fuzz/JSON", exclude: ["Corpus"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
    package.targets.append(
        .executableTarget(
            name: "FuzzHTTP", dependencies: ["HTTP"], path: "Fuzz/HTTP", exclude: ["Corpus"],
            swiftSettings: settings + [.enableExperimentalFeature("Lifetimes"), .unsafeFlags(["-parse-as-library"])]))
    package.targets.append(
        .executableTarget(
            name: "FuzzExpressions", dependencies: ["Expressions", "JSON"], path: "Fuzz/Expressions", exclude: ["Corpus"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
    package.targets.append(
        .executableTarget(
            name: "FuzzService", dependencies: ["ServiceInProcess"], path: "Fuzz/Service", exclude: ["Corpus"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}
