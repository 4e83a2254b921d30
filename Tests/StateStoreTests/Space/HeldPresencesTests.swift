import Reactive
import Testing

@testable import StateStore

/// A process that holds streams of clients, and the owner of their space, with messages that are lost, repeated and late.
struct HeldPresencesTests {
    // Law U7
    @Test func `an owner forgets a client that has given up, although one announcement follows another`() {
        var pair = Pair()
        let client = pair.join("ada")
        // The message is performed, its answer is lost.
        _ = pair.owner.answer(pair.next(), refusing: [])
        client.end(.elsewhere)
        #expect(pair.owner.keys == ["ada"])
        // Two announcements follow. The message of the first, which has no rows, is lost.
        pair.held.announce()
        #expect(pair.next()?.joins.isEmpty == true)
        pair.held.announce()
        pair.deliverAll()
        #expect(pair.owner.keys.isEmpty && pair.held.isEmpty)
    }

    // Law U7
    @Test(arguments: [false, true]) func `a client whose new row is refused when it comes back has left`(
        _ isAnnounced: Bool
    ) {
        var pair = Pair()
        _ = pair.join("ada")
        pair.deliverAll()
        #expect(pair.owner.keys == ["ada"])
        // The end of the stream and the new one come in one message, because another is under way.
        _ = pair.join("bob")
        let message = pair.next()
        pair.leave("ada")
        _ = pair.join("ada")
        if isAnnounced { pair.held.announce() } else { pair.take(pair.owner.answer(message, refusing: [])) }
        pair.deliverAll(refusing: ["ada"])
        #expect(pair.owner.keys == ["bob"] && pair.streams == ["bob": 1])
    }

    // Law U7
    @Test func `no message is performed after a later one, also if its process was taken for dead between them`() {
        for forgets in [{ $0.lose("n1/a") }, { $0.removeAll() }] as [(inout PresentClients) -> Void] {
            var pair = Pair()
            _ = pair.join("ada")
            let first = pair.next()
            pair.held.announce()
            let second = pair.next()
            _ = pair.owner.answer(second, refusing: [])
            forgets(&pair.owner.clients)
            #expect(pair.owner.answer(first, refusing: []) == nil)
            // The last one is performed again: its rows are forgotten.
            guard case .done? = pair.owner.answer(second, refusing: []) else {
                Issue.record("the announcement was not performed")
                continue
            }
            #expect(pair.owner.keys == ["ada"])
        }
    }

    // Law U7
    @Test func `the owner knows the streams when a message has its answer, whatever was lost before`() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var (pair, random) = (Pair(), Randomness(seed: seed))
            var waiting: [HeldPresences.AwaitedRow] = []
            var sent: [PresenceMessage] = []
            let names = ["ada", "bob", "cid", "dan"]
            for _ in 0..<60 {
                let name = names[Int.random(in: 0..<4, using: &random)]
                switch Int.random(in: 0..<16, using: &random) {
                case 0, 1, 2: waiting.append(pair.join(name))
                case 3: waiting.randomElement(using: &random)?.end(.elsewhere)
                case 4, 5: pair.leave(name)
                case 6: pair.held.announce()
                case 7:
                    pair.owner.lose()
                    pair.held.announce()
                case 8:
                    // An earlier message comes late, or again.
                    if let message = sent.randomElement(using: &random) {
                        _ = pair.owner.answer(message, refusing: [])
                    }
                default:
                    guard let message = pair.next() else { continue }
                    sent.append(message)
                    guard Int.random(in: 0..<3, using: &random) > 0 else { continue }
                    let refused = Int.random(in: 0..<4, using: &random) == 0 ? [name] : []
                    let answer = pair.owner.answer(message, refusing: refused)
                    if Int.random(in: 0..<3, using: &random) > 0 { pair.take(answer) }
                }
            }
            pair.deliverAll()
            #expect(pair.owner.keys == Set(pair.streams.keys), "seed \(seed)")
        }
    }
}

/// The process that holds the streams, and the owner.
private struct Pair {
    var held = HeldPresences()
    var owner = Owner()
    private let count = StreamCount()
    private var lastNumber = 0

    /// The streams that were answered and have not ended.
    var streams: [String: Int] { count.streams }

    func request(_ key: String) -> PresenceRequest {
        PresenceRequest(key, in: "hall.here", with: 1, .server, needsRule: false)
    }

    mutating func join(_ key: String) -> HeldPresences.AwaitedRow {
        let one = HeldPresences.AwaitedRow(request(key)) { [count] refusal in
            if refusal == nil { count.streams[key, default: 0] += 1 }
        }
        held.join(one)
        return one
    }

    mutating func leave(_ key: String) {
        guard let number = count.streams[key] else { return }
        count.streams[key] = number == 1 ? nil : number - 1
        _ = held.leave(PresenceRow(table: "hall.here", key: key))
    }

    /// The next message, or the one under way again.
    mutating func next() -> PresenceMessage? {
        if held.isEmpty, !held.isBusy { held = HeldPresences() }
        return held.message(of: "n1/a") {
            lastNumber += 1
            return lastNumber
        }
    }

    mutating func take(_ answer: PresenceAnswer?) {
        guard let answer else { return held.fail() }
        for (one, refusal) in held.take(answer) { one.end(refusal) }
    }

    /// Delivers messages and answers until there is nothing to tell.
    mutating func deliverAll(refusing keys: [String] = []) {
        for _ in 0..<20 {
            guard let message = next() else { return }
            take(owner.answer(message, refusing: keys))
        }
        Issue.record("the messages have no end")
    }
}

private final class StreamCount {
    var streams: [String: Int] = [:]
}

/// The owner of a space, which performs the messages of one process as a space does.
private struct Owner {
    var clients = PresentClients()

    /// The clients with streams.
    var keys: Set<String> { Set(clients.rows(of: "n1/a").map(\.key)) }

    mutating func answer(_ message: PresenceMessage?, refusing keys: [String]) -> PresenceAnswer? {
        guard let message else { return nil }
        switch clients.receive(message) {
        case .late: return nil
        case .unknown: return .unknown
        case .performed(let outcomes): return .done(outcomes)
        case .next: break
        }
        let named = Set(message.joins.map(\.key))
        if message.isWhole {
            for row in clients.rows(of: message.process) where !named.contains(row.key) { leave(row) }
        }
        for row in message.leaves { leave(row) }
        let outcomes = message.joins.map { request -> JoinOutcome in
            if keys.contains(request.key), !request.isRepeated { return .refused(.rejected(.forbidden)) }
            clients.join(PresenceRow(table: request.table, key: request.key), of: message.process)
            return .present(.unknown)
        }
        clients.conclude(message, outcomes)
        return .done(outcomes)
    }

    /// Takes the process for dead.
    mutating func lose() {
        for row in clients.rows(of: "n1/a") { leave(row) }
        clients.lose("n1/a")
    }

    private mutating func leave(_ row: PresenceRow) {
        clients.leave(row, of: "n1/a") { Alarm(at: .zero) { _ in } }
    }
}
