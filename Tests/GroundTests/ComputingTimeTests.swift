import Platform
import Testing

struct ComputingTimeTests {
    @Test func `a thread that waits for another does not compute`() throws {
        let beginning = ComputingTime.now
        let busy = try SystemThread {
            let beginning = ComputingTime.now
            while ComputingTime.now - beginning < 50_000_000 {}
        }
        busy.join()
        #expect(ComputingTime.now - beginning < 50_000_000)
    }
}
