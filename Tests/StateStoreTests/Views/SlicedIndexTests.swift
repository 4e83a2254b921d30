import JSON
import Reactive
import ServerReads
import StateStore
import Testing

/// Law CALM13: an index over many rows is made in slices, and the actions that need it wait for it.
struct SlicedIndexTests {
    private struct Guest: Record {
        var id = ""
        var seat = 0

        static let shape = Shape(Guest()) {
            $0.required("id", \.id)
            $0.required("seat", \.seat)
        }
    }

    private struct Guests: Record {
        var guests: [Guest] = []

        static let shape = Shape(Guests()) { $0.required("guests", \.guests) }
    }

    private struct HallState {
        let guests = Table<String, Guest>()
        let bySeat: RowIndex<Int, OrderOfKeys, String, Guest>

        init() { bySeat = RowIndex(of: guests, by: \.seat, isUnique: true) }
    }

    private struct HallService: StateService {
        let seat: Action<Guests>

        init(_ hall: HallState) {
            seat = Action { input, commit in
                for guest in input.guests { commit[hall.guests, guest.id] = guest }
            }
        }
    }

    private struct HallViewModel: ViewModel {
        let count: Observable<Int>

        init(_ hall: HallState) { count = hall.guests.rowCount() }
    }

    /// A hall whose guests the journal has, and whose index nobody has made since.
    private final class Hall {
        let stores: Stores
        let executor = TestExecutor()

        init(_ journal: MemoryJournal) throws {
            stores = try Stores(
                try Registry([Feature("hall", HallState.init, HallService.init, HallViewModel.init)]),
                executors: [executor], writer: InlineJournalWriter(journal), seed: 1,
                clock: { Timestamp(microseconds: 0) })
            executor.runPosted()
        }

        deinit { executor.close() }

        func seat(_ guests: some Sequence<Int>, seats: (Int) -> Int = { $0 }, _ reply: Reply) throws {
            let input = Guests(
                guests: guests.map { Guest(id: "guest \($0) \(String(repeating: "g", count: 40))", seat: seats($0)) })
            stores[0].perform(Call(feature: "hall", action: "seat", input: try input.json()), in: .main) {
                reply.result = $0
            }
        }
    }

    private func full() throws -> Hall {
        let journal = MemoryJournal()
        let hall = try Hall(journal)
        for part in 0..<6 { try hall.seat(part * 1_000..<(part + 1) * 1_000, Reply()) }
        let next = try Hall(journal)
        next.stores[0].whenHere(.main) { _ in }
        next.executor.runPosted()
        return next
    }

    @Test func `actions wait for their index, and then hold what it promises`() throws {
        let hall = try full()
        let (good, bad, last) = (Reply(), Reply(), Reply())
        try hall.seat([7_000], good)
        try hall.seat([7_001], seats: { _ in 17 }, bad)
        hall.executor.runOne()
        try hall.seat([17], seats: { _ in 9_000 }, last)
        #expect(good.result == nil && bad.result == nil && last.result == nil)
        hall.executor.runPosted()
        #expect(try good.result?.get().version == 7)
        guard case .failure(.rejected(let rejection))? = bad.result else { throw Deadline() }
        #expect(rejection.notUnique != nil)
        #expect(try last.result?.get().version == 8)
        // The seat is free now.
        try hall.seat([7_001], seats: { _ in 17 }, bad)
        #expect(try bad.result?.get().version == 9)
    }

    @Test func `an action waits for its index for a second at most, and the index is made all the same`() throws {
        let hall = try full()
        let early = Reply()
        try hall.seat([7_000], early)
        hall.executor.runOne()
        (hall.executor.scheduler as? VirtualScheduler)?.advance(by: .seconds(1))
        guard case .failure(.preparing)? = early.result else { throw Deadline() }
        hall.executor.runPosted()
        let late = Reply()
        try hall.seat([7_000], late)
        #expect(try late.result?.get().version == 7)
    }
}
