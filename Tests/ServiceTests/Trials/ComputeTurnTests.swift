import Platform
import Testing

@testable import HeadwaterServer

/// The computing time of a trial.
struct ComputeTurnTests {
    private static let limit: Int64 = 20_000_000

    @Test func `a trial that waits has time left, and one that computes has not`() throws {
        let turn = ComputeTurn(in: ComputeRound(), limit: Self.limit, slice: 1_000_000)
        let busy = try SystemThread {
            let beginning = ComputingTime.now
            while ComputingTime.now - beginning < 2 * Self.limit {}
        }
        busy.join()
        #expect(turn.goesOn())
        let beginning = ComputingTime.now
        while ComputingTime.now - beginning < 2 * Self.limit {}
        #expect(!turn.goesOn())
        #expect(!turn.goesOn())
        turn.end()
    }
}
