import JSON
import Reactive
import ServerReads
import StateStore
import Testing

/// Law D16: every call is answered once, whatever the spaces do meanwhile.
///
/// Documents come and go with their state, spaces are deleted, unloaded and loaded, appends fail, and the executors and
/// the threads of the journal take turns at random.
struct RandomRepliesTests {
    private final class Run {
        private let names = ["a", "b", "c", "d"].compactMap { SpaceName($0) }
        private let journal = MemoryJournal()
        private let faulty: FaultyJournal
        private let writer: LateJournalWriter
        private let stand: DeploymentStand
        private var dice: Randomness
        private var watches: [Told] = []
        /// The calls without an answer, and the number of answers to each other one.
        private(set) var open: [Int: String] = [:]
        private(set) var answeredTwice: [String] = []
        private(set) var dropsAnswered = 0
        private var count = 0

        init(seed: UInt64) throws {
            dice = Randomness(seed: seed)
            faulty = FaultyJournal(journal)
            writer = LateJournalWriter(faulty)
            stand = try DeploymentStand(journal, by: writer, executors: 3)
            for index in 0..<3 { stand.stores[index].idleLimit = pick(3) }
        }

        private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &dice) }

        private func awaiting(_ words: String, _ note: @escaping (Bool) -> Void = { _ in }) -> (Bool) -> Void {
            count += 1
            let number = count
            open[number] = words
            return { [unowned self] isSuccess in
                if open.removeValue(forKey: number) == nil { answeredTwice.append(words) }
                note(isSuccess)
            }
        }

        private func call() {
            let space = names[pick(names.count)]
            let store = stand.store(of: space)
            switch pick(12) {
            case 0, 1:
                let feature = ["counter", "shelf"][pick(2)]
                let document: JSON = pick(2) == 0 ? [:] : ["label": .string("l\(count)")]
                let change = DocumentChange([feature: document], to: stand.stores[0].documents)
                let done = awaiting("put \(feature)")
                stand.stores[pick(3)].performAnywhere(change.call(by: ""), in: .common) { done($0.isSuccess) }
            case 2, 3:
                let present = stand.stores[0].documents
                guard let feature = ["counter", "shelf"].first(where: { present[$0] != nil }) else { return }
                let change = DocumentChange([feature: nil], dropsState: true, to: present)
                let done = awaiting("drop \(feature)") { [unowned self] in if $0 { dropsAnswered += 1 } }
                stand.stores[pick(3)].performAnywhere(change.call(by: ""), in: .common) { done($0.isSuccess) }
            case 4:
                let done = awaiting("delete \(space)")
                store.forget(space) { if case .success = $0 { done(true) } else { done(false) } }
            case 5:
                let done = awaiting("read \(space)")
                store.read(["counter.total"], in: space) { if case .success = $0 { done(true) } else { done(false) } }
            case 6:
                watches.append(stand.watching(["counter.total"], in: space))
                if watches.count > 3 { watches.removeFirst() }
            case 7: faulty.failAppends(pick(3))
            default:
                let feature = ["counter", "shelf"][pick(2)]
                let key = pick(3) == 0 ? "k\(count)" : nil
                let done = awaiting("add in \(space)")
                let call = Call(feature: feature, action: "add", input: Array(#"{"by": 1}"#.utf8), key: key)
                store.perform(call, in: space) { done($0.isSuccess) }
            }
        }

        private func turn() {
            if pick(3) == 0 {
                writer.turn(pick(3), batch: 1 + pick(4))
            } else {
                stand.executors[pick(3)].runOne()
            }
        }

        /// Sends calls while everything takes turns at random, then waits until nothing happens any more.
        func run() {
            var rounds = 0
            // Few drops succeed, because appends fail and others change the documents first.
            while rounds < 120 || dropsAnswered == 0 && rounds < 1_000 {
                rounds += 1
                call()
                for _ in 0..<pick(12) { turn() }
            }
            faulty.failAppends(0)
            // What is tried again after a failure is tried by alarms.
            for _ in 0..<40 where !open.isEmpty {
                repeat {
                    stand.settle()
                    for thread in 0..<3 { writer.turn(thread, batch: 4) }
                } while !writer.isIdle
                stand.advance(by: .seconds(1))
            }
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `each call is answered once while documents and their state come and go`(_ seed: UInt64) throws {
        let run = try Run(seed: seed)
        run.run()
        #expect(run.open.isEmpty && run.answeredTwice.isEmpty, "\(run.open) \(run.answeredTwice)")
        #expect(run.dropsAnswered > 0)
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
