import AuctionModel
import Foundation
import HeadwaterClient
import StateModel

/// The auction in a terminal: shows the open lots after each change, and bids.
///
///     auction-terminal http://127.0.0.1:8080 main ada
///     > offer A guitar
///     > bid 1 120
@main struct Terminal {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4, let address = URL(string: words[1]) else {
            say("usage: auction-terminal URL SALE NAME")
            exit(2)
        }
        let client = HeadwaterClient(address)
        // The lots of this sale are on this device too: a bid shows at once, also without a network.
        let sale = try client.local(words[2], of: auction)
        let name = words[3]

        let board = Board()
        // Reading a line blocks the main actor, so the screen has a task beside it.
        let screen = Task.detached { for await lots in sale.values(of: \.open) { await board.show(lots) } }
        while let line = readLine() {
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch (parts.first, parts.count) {
            case ("offer", 2...):
                report(sale.perform(\.offer, NewLot(title: parts.dropFirst().joined(separator: " "))))
            case ("bid", 3):
                guard let lot = await board.lot(parts[1]), let amount = Money(parts[2]) else {
                    say("bid NUMBER AMOUNT")
                    continue
                }
                report(sale.perform(\.bid, Bid(lot: lot.id, amount: amount, name: name)))
            case ("quit", _):
                screen.cancel()
                // What waits is on the disk, and goes to the server with the next start.
                for action in await client.pending() { say("pending: \(action)") }
                return
            default: say("offer TITLE, bid NUMBER AMOUNT, quit")
            }
        }
    }

    /// Prints the refusal of an action, whenever it comes.
    private static func report<Output>(_ performed: Performed<Output>) {
        Task {
            do {
                try await performed.durable()
            } catch let problem as ServerProblem {
                say("refused: \(problem.detail)")
            }
        }
    }
}

/// Prints a line at once, also into a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// The lots as they are on the screen.
actor Board {
    private var lots: [Lot] = []

    func show(_ lots: [Lot]) {
        self.lots = lots
        say("—")
        for (index, lot) in lots.enumerated() {
            say("\(index + 1). \(lot.title): \(lot.price) \(lot.bidder ?? "")")
        }
    }

    /// Returns the lot with a number on the screen.
    func lot(_ number: String) -> Lot? { Int(number).flatMap { lots.indices.contains($0 - 1) ? lots[$0 - 1] : nil } }
}
