import AuctionModel
import HeadwaterServer

Headwater.serve(features: [auction.feature { AuctionEffects($0, $1) }])
