import Glibc
import Testing

@testable import HeadwaterServer

/// Law CALM6: the arguments come from the system, not from a file of it.
struct ArgumentsTests {
    @Test func `the arguments are those of the process`() {
        #expect(Headwater.arguments == CommandLine.arguments && !Headwater.arguments.isEmpty)
    }

    // Law CALM10
    @Test func `a socket of the supervisor is taken without a host and a port, and by its process alone`() throws {
        let arguments = Arguments(Program { _ in [] })
        let own = ["LISTEN_FDS": "1", "LISTEN_PID": "\(getpid())"]
        func fault(_ given: [String], _ environment: [String: String]) -> String {
            arguments.read(given, environment).faults.map(\.description).joined()
        }
        #expect(fault(["--port", "8081"], own).contains("leave --host and --port out"))
        #expect(fault([], own.merging(["HEADWATER_HOST": "127.0.0.1"]) { $1 }).contains("leave --host and --port out"))
        #expect(fault([], own.merging(["LISTEN_FDS": "2"]) { $1 }).contains("takes one listening socket"))
        #expect(fault(["--port", "8081"], ["LISTEN_FDS": "1", "LISTEN_PID": "1"]) == "")
    }
}
