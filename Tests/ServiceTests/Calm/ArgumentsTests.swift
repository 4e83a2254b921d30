import Testing

@testable import HeadwaterServer

/// Law CALM6: the arguments come from the system, not from a file of it.
struct ArgumentsTests {
    @Test func `the arguments are those of the process`() {
        #expect(Headwater.arguments == CommandLine.arguments && !Headwater.arguments.isEmpty)
    }
}
