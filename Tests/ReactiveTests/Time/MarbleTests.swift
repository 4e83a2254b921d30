import Reactive
import Testing

struct MarbleTests {
    private func events(_ drawing: String) throws -> [String] {
        try Marble(drawing).events.map { "\($0.at) \($0.event.character)" }
    }

    @Test(arguments: [
        ("", []), ("----", []), ("-1-|", ["1 1", "3 |"]), ("1#", ["0 1", "1 #"]), ("-(12|)", ["1 1", "1 2", "1 |"]),
        ("(ab)-c", ["0 a", "0 b", "5 c"]), ("- 1 -  2", ["1 1", "3 2"]), ("()-1", ["3 1"]), ("-é|", ["1 é", "2 |"]),
    ])
    func `a character is a unit of time, and a group happens at its beginning (Law C3)`(
        _ drawing: String, _ expected: [String]
    ) throws {
        #expect(try events(drawing) == expected)
    }

    @Test(arguments: [
        ("-(1", Marble.DrawingError.unpaired(position: 1)), ("-1)", .unpaired(position: 2)),
        ("((1))", .unpaired(position: 1)),
        ("-|1", .afterEnd(position: 2)), ("-#|", .afterEnd(position: 2)), ("(|1)", .afterEnd(position: 2)),
    ])
    func `an invalid drawing is rejected with its position (Law C3)`(_ drawing: String, _ fault: Marble.DrawingError) {
        #expect(throws: fault) { try Marble(drawing) }
    }

    @Test(arguments: ["-1-2-|", "-(12)-3", "(1|)", "#", "", "---a(bc)---(d|)"])
    func `a parsed drawing is drawn as before (Law C3)`(_ drawing: String) throws {
        #expect(try Marble(drawing).drawing == drawing)
    }

    @Test func `an event without room after a group is drawn later (Law C3)`() {
        #expect(Marble(events: [(0, .value("1")), (0, .value("2")), (1, .value("3"))]).drawing == "(12)3")
    }

    @Test func `drawings of the same events are equal (Law C3)`() throws {
        #expect(try Marble("-1-|") == Marble("- 1 - |"))
        #expect(try Marble("-1-|") != Marble("-1--|"))
        #expect(try Marble("-1-|") != Marble("-1-#"))
    }
}
