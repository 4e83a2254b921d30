// swift-tools-version: 6.2
import PackageDescription

// In a repository of its own the dependency is .package(url: "…", from: "…"), as Scripts/new writes it.
let package = Package(
    name: "auction",
    products: [
        .executable(name: "auction", targets: ["Program"])
    ],
    dependencies: [
        .package(name: "headwater", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Program",
            dependencies: [
                .product(name: "HeadwaterServer", package: "headwater"),
                .product(name: "StateStore", package: "headwater"),
                .product(name: "Reactive", package: "headwater"),
            ]),
        .testTarget(
            name: "ProgramTests",
            dependencies: ["Program", .product(name: "FeatureTesting", package: "headwater")]),
    ]
)
