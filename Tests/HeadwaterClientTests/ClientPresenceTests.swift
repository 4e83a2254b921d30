import ClientWorld
@testable import HeadwaterClient
import JSON
import ServiceInProcess
import StateModel
import Testing

/// Who is in a room, in memory only.
private struct RoomState {
    let here = Table<String, Guest>(kept: false)
}

private struct Guest: Record {
    var mood = ""
}

private struct RoomService: StateService {
    let here: Presence

    init(_ room: RoomState) { here = Presence(in: room.here) }
}

private struct RoomViewModel: ViewModel {
    let guests: Observable<[String]>

    init(_ room: RoomState) { guests = room.here.sorted().map { rows in rows.map { "\($0.key) \($0.row.mood)" } } }
}

/// The presence of clients in a table.
@MainActor @Suite struct ClientPresenceTests {
    private let room = FeatureModel("room", RoomState.init, RoomService.init, RoomViewModel.init)

    @Test func `a presence begins with its object, ends with it, and comes back after a lost connection`() async throws
    {
        let service = try ServiceInProcess(features: [room.feature()])
        let loop = HandLoop(seed: 7)
        let network = FaultyNetwork(seed: 7)
        let client = HeadwaterClient(transport: network, storage: MemoryStorage(), loop: loop) { _, answer in
            answer(.success(nil))
        }
        func advance(_ times: Int = 8) async throws {
            try network.pass(times, of: 200, loop, service)
            await Task.yield()
        }
        let guests = client.space("main", of: room).live(\.guests)
        try await advance()
        #expect(guests.value == [])
        var held: HeldPresence? = client.space("main").presence("room.here", as: "ada", with: ["mood": "calm"])
        try await advance()
        #expect(guests.value == ["ada calm"])
        network.cutAll()
        try await advance(30)
        #expect(guests.value == ["ada calm"] && guests.phase == .current)
        #expect(held != nil)
        held = nil
        try await advance()
        #expect(guests.value == [])
        let refusal = Refusal()
        let wrong = client.space("main").presence("room.nowhere", refused: { refusal.problem = $0 })
        try await advance()
        #expect(refusal.problem != nil && guests.phase == .current)
        withExtendedLifetime(wrong) {}
    }

    private final class Refusal: @unchecked Sendable {
        // Sendable because the test turns everything on one thread.
        var problem: ServerProblem?
    }
}
