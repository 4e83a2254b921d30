#if canImport(SwiftUI)
    import AuctionModel
    import HeadwaterClient
    import StateModel
    public import SwiftUI

    /// The open lots of a sale, and a bid on each.
    public struct SaleScreen: View {
        private let sale: LocalSpace<AuctionState, AuctionService, AuctionViewModel>
        private let name: String
        @Live private var lots: [Lot]?
        @State private var refusal: String?

        /// The screen of a sale, for a bidder.
        public init(_ client: HeadwaterClient, sale: String, name: String) throws {
            let sale = try client.local(sale, of: auction)
            self.sale = sale
            self.name = name
            _lots = Live { sale.live(\.open) }
        }

        /// The list of the lots.
        public var body: some View {
            List(lots ?? [], id: \.id) { lot in
                HStack {
                    Text(lot.title)
                    Spacer()
                    Button("Bid \(lot.leastBid.description)") { bid(lot) }
                }
            }
            .overlay { if $lots.phase == .loading { ProgressView() } }
            .safeAreaInset(edge: .bottom) { if let refusal { Text(refusal).foregroundStyle(.red) } }
        }

        private func bid(_ lot: Lot) {
            let bid = sale.perform(\.bid, Bid(lot: lot.id, amount: lot.leastBid, name: name))
            Task {
                do {
                    try await bid.durable()
                    refusal = nil
                } catch let problem as ServerProblem {
                    refusal = problem.detail
                }
            }
        }

        /// The screen on a server of previews, with a bad network before it or a good one: `#Preview { try! SaleScreen.preview() }`.
        public static func preview(isOnline: Bool = true) throws -> SaleScreen {
            let server = try PreviewServer([auction.feature()])
            try server.perform(\.offer, NewLot(title: "A guitar", price: 100), of: auction, in: "preview")
            let network = FaultyTransport(server)
            network.isOnline = isOnline
            return try SaleScreen(HeadwaterClient(transport: network), sale: "preview", name: "ada")
        }
    }
#endif
