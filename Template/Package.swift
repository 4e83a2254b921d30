// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "__name__",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "__name__", targets: ["Program"]),
        .library(name: "__Name__Model", targets: ["__Name__Model"]),
    ],
    dependencies: [
        __dependency__
    ],
    targets: [
        // State, actions and views: no sockets and no files, so an app and tests can use them too.
        .target(
            name: "__Name__Model",
            dependencies: [
                .product(name: "StateModel", package: "__package__"),
                .product(name: "Reactive", package: "__package__"),
            ]),
        // The server.
        .executableTarget(
            name: "Program",
            dependencies: ["__Name__Model", .product(name: "HeadwaterServer", package: "__package__")]),
        .testTarget(
            name: "__Name__ModelTests",
            dependencies: ["__Name__Model", .product(name: "FeatureTesting", package: "__package__")]),
    ]
)
