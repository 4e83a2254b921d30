// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "__name__",
    products: [
        .executable(name: "__name__", targets: ["Program"])
    ],
    dependencies: [
        .package(url: "__url__", from: "__version__")
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
