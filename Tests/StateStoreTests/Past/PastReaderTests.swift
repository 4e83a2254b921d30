import Foundation
import Ground
import Platform
import Reactive
import ServerReads
import Testing

@testable import StateStore

/// The thread on which states of the past are computed.
struct PastReaderTests {
    // Law PAST6
    @Test func `requests are computed on one thread of their own`() throws {
        let reader = try PastReader(try .ledger(), MemoryJournal())
        let executor = TestExecutor()
        let threads = Lock(Set<ObjectIdentifier>())
        let answers = SharedNumber(0)
        for _ in 0..<10 {
            reader.run(for: executor) { _ throws(PastRefusal) in
                threads.with { _ = $0.insert(ObjectIdentifier(Thread.current)) }
            } then: { _ in
                answers.value += 1
            }
        }
        try executor.run { answers.value == 10 }
        reader.close()
        let used = threads.with { $0 }
        #expect(used.count == 1 && !used.contains(ObjectIdentifier(Thread.current)))
    }

    // Law PAST6
    @Test func `beyond the limit a request is refused, and the others are answered`() throws {
        let reader = try PastReader(try .ledger(), MemoryJournal())
        let executor = TestExecutor()
        let gate = Condition()
        let (answered, refused) = (SharedNumber(0), SharedNumber(0))
        func ask(_ work: @escaping @Sendable () -> Void) {
            reader.run(for: executor) { _ throws(PastRefusal) in
                work()
            } then: { result in
                if case .failure(.busy) = result { refused.value += 1 } else { answered.value += 1 }
            }
        }
        ask { _ = gate.wait() }
        for _ in 1..<PastReader.waitingLimit { ask {} }
        for _ in 0..<5 { ask {} }
        try executor.run { refused.value == 5 }
        #expect(answered.value == 0)
        gate.signal()
        try executor.run { answered.value == PastReader.waitingLimit }
        ask {}
        try executor.run { answered.value == PastReader.waitingLimit + 1 }
        reader.close()
        // A closed reader refuses.
        ask {}
        try executor.run { refused.value == 6 }
    }

    // Law CALM3
    @Test func `subjects take turns, and a request whose caller has gone is left out`() throws {
        let reader = try PastReader(try .ledger(), MemoryJournal())
        let executor = TestExecutor()
        let gate = Condition()
        let order = Lock<[String]>([])
        let (answered, refused) = (SharedNumber(0), SharedNumber(0))
        func ask(_ name: String, _ departure: Departure? = nil, _ work: @escaping @Sendable () -> Void = {}) {
            reader.run(for: executor, by: PastAsker(String(name.prefix(1)), .main, departure)) {
                _ throws(PastRefusal) in
                order.with { $0.append(name) }
                work()
            } then: { result in
                if case .failure(.busy) = result { refused.value += 1 } else { answered.value += 1 }
            }
        }
        let begun = Condition()
        ask("a0") {
            begun.signal()
            _ = gate.wait()
            // The time after which a caller that has gone is left out.
            _ = Condition().wait(until: MonotonicTime.now + 2 * PastReader.departureNanoseconds)
        }
        _ = begun.wait()
        let gone = Departure()
        for number in 1...80 { ask("a\(number)", number == 2 ? gone : nil) }
        ask("b1")
        ask("c1", Departure())
        gone.note()
        gate.signal()
        try executor.run { answered.value == PastReader.waitingLimit + 1 }
        #expect(order.with { Array($0.prefix(5)) } == ["a0", "a1", "b1", "c1", "a3"])
        #expect(refused.value == 80 - (PastReader.waitingLimit - 1) + 1)
        reader.close()
    }

    // Law PAST2
    @Test func `a history that goes on loads no state again`() throws {
        let stand = try Stand()
        for amount in 1...5 { try stand.post("ledger/add", "a", amount, in: .main) }
        let context = PastContext(DocumentLibrary(try .ledger(), nil), stand.journal)
        func page(_ start: HistoryStart, _ rows: Int) throws -> HistoryPage {
            try context.history(
                of: .ofServer(["ledger.sum"], in: .main, context.registry), start,
                HistoryLimits(rows: rows, bytes: .max, common: 0))
        }
        let first = try page(.oldest, 2)
        #expect(first.rows.map(\.moment.version) == [1, 2] && !first.isWhole)
        let loads = context.loadCount
        let second = try page(.after(.moment(first.end)), 2)
        #expect(second.rows.map(\.moment.version) == [3, 4] && context.loadCount == loads)
        let last = try page(.after(.moment(second.end)), 2)
        #expect(last.rows.map(\.moment.version) == [5] && last.isWhole && context.loadCount == loads)
        #expect(try page(.after(.version(3)), 9).rows.map(\.moment.version) == [4, 5])
        #expect(context.loadCount == loads + 1)
    }
}

/// A value that closures share.
private final class SharedNumber<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
