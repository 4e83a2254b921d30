// swift-tools-version: 6.2
import PackageDescription

// In a repository of its own the dependency is .package(url: "…", from: "…"), as Scripts/new writes it.
let package = Package(
    name: "auction",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "auction", targets: ["Program"]),
        .executable(name: "auction-terminal", targets: ["Terminal"]),
        .library(name: "AuctionModel", targets: ["AuctionModel"]),
        .library(name: "AuctionScreens", targets: ["AuctionScreens"]),
    ],
    dependencies: [
        .package(name: "headwater", path: "../..")
    ],
    targets: [
        // State, actions and views: for the server, for apps and for tests.
        .target(
            name: "AuctionModel",
            dependencies: [
                .product(name: "StateModel", package: "headwater"), .product(name: "Reactive", package: "headwater"),
            ]),
        // The server.
        .executableTarget(
            name: "Program",
            dependencies: [
                "AuctionModel", .product(name: "HeadwaterServer", package: "headwater"),
                .product(name: "StateModel", package: "headwater"), .product(name: "Reactive", package: "headwater"),
            ]),
        // A client in a terminal, for Linux and macOS.
        .executableTarget(
            name: "Terminal",
            dependencies: [
                "AuctionModel", .product(name: "HeadwaterClient", package: "headwater"),
                .product(name: "StateModel", package: "headwater"),
            ]),
        // The screens of an app. Empty where SwiftUI is missing.
        .target(
            name: "AuctionScreens",
            dependencies: [
                "AuctionModel", .product(name: "HeadwaterClient", package: "headwater"),
                .product(name: "StateModel", package: "headwater"),
            ]),
        .testTarget(
            name: "ProgramTests",
            dependencies: ["AuctionModel", "Program", .product(name: "FeatureTesting", package: "headwater")]),
    ]
)
