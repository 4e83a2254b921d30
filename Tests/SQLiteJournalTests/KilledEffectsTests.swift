import Reactive
import SQLiteJournal
import StateStore
import Systems
import Testing

@Suite struct KilledEffectsTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    // Law E2
    @Test
    func `a server killed during checkouts and orders finishes each once, and places no order twice`()
        throws
    {
        var random = SplitMix64(seed: 5)
        var asked: [String] = []
        var ordered: Set<String> = []
        for _ in 0..<6 {
            let child = try Child("order", scratch.directory(), Durability.commit.rawValue)
            var lines: [String] = []
            for _ in 0..<Int.random(in: 10...120, using: &random) { lines.append(try #require(child.line())) }
            lines += child.kill()
            for line in lines {
                let parts = line.split(separator: " ").map(String.init)
                if parts[0] == "asked" { asked.append(parts[1]) } else { ordered.insert(parts[2]) }
            }
        }
        try look(asked, ordered)
    }

    private func look(_ asked: [String], _ ordered: Set<String>) throws {
        let journal = try SQLiteJournal(directory: scratch.directory(), history: .max)
        defer { journal.close() }
        var placed: [String] = []
        var begun = 0
        for customer in 0..<4 {
            let space = try #require(SpaceName("customer-\(customer)"))
            guard case .commits(let commits) = try journal.read(space, after: 0, limit: .max) else { return }
            var isCheckingOut = false
            var number: String?
            for commit in commits {
                switch commit.action {
                case "luthier/checkout":
                    #expect(!isCheckingOut)
                    isCheckingOut = true
                case "luthier/checkoutAnswered":
                    #expect(isCheckingOut)
                    isCheckingOut = false
                case "luthier/order":
                    #expect(number == nil)
                    begun += 1
                    number = Self.number(in: commit.facts.first { $0.variable == "luthier.orderUnderWay" }?.value)
                    #expect(number != nil)
                case "luthier/orderPlaced":
                    let told = Self.number(in: commit.facts.first { $0.variable == "luthier.order" }?.value)
                    #expect(told != nil && told == number)
                    placed.append(told ?? "")
                    number = nil
                default: #expect(commit.action == "luthier/dismiss")
                }
            }
        }
        // Each order happened once, although requests were repeated. No shown receipt is missing in the journal.
        #expect(Set(placed).count == placed.count && placed.count > 10)
        #expect(ordered.isSubset(of: Set(placed)))
        #expect(Set(placed).isSubset(of: Set(asked)))
        #expect(begun - placed.count <= 4)
        // Exactly the unfinished work is stored as such.
        #expect(try journal.spacesWithWork(after: nil, limit: 10).count <= 4)
    }

    /// The number of an order, from its JSON.
    private static func number(in value: [UInt8]?) -> String? {
        value.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\"").dropFirst(3).first.map(String.init) }
    }
}
