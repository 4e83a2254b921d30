public import StateModel

/// The auction, for the server, for clients and for tests: each space is a sale of its own.
public let auction = FeatureModel("auction", AuctionState.init, AuctionService.init, AuctionViewModel.init)
