import StateStore

/// The auction: each space is a sale of its own.
let feature = Feature(
    "auction", AuctionState.init, AuctionService.init, AuctionViewModel.init, effects: { AuctionEffects($0, $1) })
