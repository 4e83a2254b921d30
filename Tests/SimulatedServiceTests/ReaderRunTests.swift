import SimulatedService
import Testing

struct ReaderRunTests {
    @Test(arguments: UInt64(1)...4)
    func `clients that change their node see what was committed`(_ seed: UInt64) throws {
        let run = try ReaderRun(seed: seed, faults: 0)
        try run.run(seconds: 4)
        #expect(run.complaints.isEmpty, "\(run.complaints.prefix(5).joined(separator: "\n"))")
    }
}
