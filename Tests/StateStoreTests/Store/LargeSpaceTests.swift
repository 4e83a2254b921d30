import Ground
import JSON
import ServerReads
import Testing

@testable import StateStore

/// Law CALM5: a large space moves to the store of large spaces, with all of its state.
struct LargeSpaceTests {
    private let executors = [ThreadExecutor(), ThreadExecutor(), ThreadExecutor()]
    private let writer: ThreadedJournalWriter
    private let stores: Stores
    private let moves = Promise<Int>()

    init() throws {
        writer = try ThreadedJournalWriter(MemoryJournal())
        stores = try Stores(
            try Registry([Feature("shelf", ShelfState.init, ShelfService.init) { ShelfViewModel($0, Tally()) }]),
            library: nil, executors: executors, writer: writer,
            placement: SpacePlacement(among: 3, hasLargeStore: true), seed: 1,
            clock: { Timestamp(microseconds: 0) })
        for index in 0..<2 { stores[index].spaceMoved = { [moves] in moves.keep(index) } }
    }

    private func close() {
        for executor in executors { executor.close() }
        writer.close()
    }

    private func change(_ books: ClosedRange<Int>, in space: SpaceName) throws -> Int {
        let rows = books.map { "{\"id\":\($0),\"title\":\"\(String(repeating: "t", count: 200))\",\"price\":1}" }
        let input = Array("{\"books\":[\(rows.joined(separator: ","))]}".utf8)
        let index = stores.index(of: space)
        let version: Int = try executors[index].ask { [stores] keep in
            stores[index].perform(Call(feature: "shelf", action: "change", input: input), in: space) {
                keep((try? $0.get().version) ?? -1)
            }
        }
        // The space can move between the look and the call, which changes nothing then.
        return version < 0 && stores.index(of: space) != index ? try change(books, in: space) : version
    }

    private func count(in space: SpaceName, by index: Int) throws -> Int {
        try executors[index].ask { [stores] keep in
            stores[index].read(["shelf.titles"], in: space) { result in
                guard case .success(let snapshot) = result, case .success(let value) = snapshot.views[0].frame.value,
                    case .array(let rows)? = try? JSON(parsing: value.bytes)
                else { return keep(-1) }
                keep(rows.count)
            }
        }
    }

    @Test func `a space that grows moves with its rows, and a small one stays`() throws {
        defer { close() }
        let space = try #require(SpaceName("growing"))
        let home = stores.index(of: space)
        #expect(home < 2 && stores.placement.largeIndex == 2)
        for page in 0..<20 { #expect(try change((page * 100)...(page * 100 + 99), in: space) == page + 1) }
        #expect(try moves.wait() == home)
        #expect(stores.index(of: space) == 2 && stores.placement.largeSpaces == [space])
        #expect(try count(in: space, by: 2) == 2_000)
        #expect(try change(5_000...5_000, in: space) == 21)
        #expect(try count(in: space, by: 2) == 2_001)
        // A reader that found the old store refuses, and shows no old state.
        #expect(try count(in: space, by: home) == -1)
        let small = try #require(SpaceName("small"))
        #expect(try change(1...1, in: small) == 1 && stores.index(of: small) < 2)
    }

    private final class Held {
        var watch: Watch?
        var asked = 0
    }

    @Test func `a space that grows while it is watched moves once its watches have ended`() throws {
        defer { close() }
        let space = try #require(SpaceName("growing"))
        let home = stores.index(of: space)
        let held = Confined(Held())
        executors[home].post { [stores] in
            stores[home].watchesMustEnd = { _ in
                held.value.asked += 1
                held.value.watch = nil
            }
            held.value.watch = stores[home].watch(["shelf.titles"], in: space) { _ in }
        }
        for page in 0..<60 { #expect(try change((page * 100)...(page * 100 + 99), in: space) == page + 1) }
        #expect(try moves.wait() == home)
        #expect(try count(in: space, by: 2) == 6_000)
        #expect(try executors[home].ask { keep in keep(held.value.asked) } == 1)
    }

    @Test func `a call that found the old store reaches the new one`() throws {
        defer { close() }
        let space = try #require(SpaceName("growing"))
        let other = 1 - stores.index(of: space)
        for page in 0..<20 { _ = try change((page * 100)...(page * 100 + 99), in: space) }
        _ = try moves.wait()
        let version: Int = try executors[other].ask { [stores] keep in
            let call = Call(feature: "shelf", action: "change", input: Array(#"{"removed":[1]}"#.utf8))
            stores[other].context.reach?(call, space) { keep((try? $0.get().version) ?? -1) }
        }
        #expect(version == 21)
    }

    @Test func `a placement knows the large spaces of an earlier process`() throws {
        defer { close() }
        let space = try #require(SpaceName("known"))
        let placement = SpacePlacement(among: 3, hasLargeStore: true, known: [space])
        #expect(placement.index(of: space) == 2 && placement.index(of: .common) == 0)
        #expect(!SpacePlacement(among: 3).noteLarge(space))
    }
}
