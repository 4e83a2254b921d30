import HistoryChecking
import Testing

/// The checker finds each kind of breach, and none in a right history.
struct HistoryCheckTests {
    private typealias Promise = HistoryCheck.Breach.Promise

    private func promises(_ lines: [String]) throws -> Set<Promise> {
        var check = HistoryCheck()
        for line in lines { check.take(try HistoryRecord(line: line)) }
        return Set(check.check().map(\.promise))
    }

    private func add(_ element: String, _ begin: Int, _ end: Int, _ outcome: String, version: Int? = nil) -> String {
        #"{"op":"add","space":"s","element":"\#(element)","begin":\#(begin),"end":\#(end),"outcome":"\#(outcome)""#
            + (version.map { #","version":\#($0)"# } ?? "") + "}"
    }

    private func write(_ value: String, _ begin: Int, _ end: Int, _ outcome: String) -> String {
        #"{"op":"write","space":"s","value":"\#(value)","begin":\#(begin),"end":\#(end),"outcome":"\#(outcome)"}"#
    }

    private func look(_ begin: Int, _ end: Int, _ version: Int, _ elements: String, fresh: Bool = true) -> String {
        #"{"op":"look","space":"s","begin":\#(begin),"end":\#(end),"fresh":\#(fresh),"version":\#(version),"elements":\#(elements)}"#
    }

    private func final(_ node: String, _ version: Int, _ elements: String, _ register: String? = nil) -> String {
        #"{"op":"final","node":"\#(node)","space":"s","version":\#(version),"elements":\#(elements)"#
            + (register.map { #","register":"\#($0)""# } ?? "") + "}"
    }

    @Test func `a right history breaks nothing`() throws {
        #expect(
            try promises([
                add("a", 0, 10, "ok", version: 1), add("b", 5, 20, "unknown"), add("c", 20, 30, "refused"),
                look(11, 12, 1, #"{"a":1}"#), look(21, 22, 2, #"{"a":1,"b":1}"#), look(11, 40, 0, "{}", fresh: false),
                #"{"op":"event","stream":"1","space":"s","version":1}"#,
                #"{"op":"event","stream":"1","space":"s","version":1}"#,
                #"{"op":"event","stream":"1","space":"s","version":4}"#,
                #"{"op":"event","stream":"2","space":"s","version":2}"#,
                #"{"op":"change","reader":"1","space":"s","version":7}"#,
                #"{"op":"change","reader":"1","space":"s","version":8}"#,
                #"{"op":"effect","space":"s","number":"b"}"#, #"{"op":"effect","space":"s","number":"b"}"#,
                final("A", 2, #"{"a":1,"b":1}"#), final("B", 2, #"{"a":1,"b":1}"#),
            ]).isEmpty)
    }

    private func show(
        _ client: String, _ begin: Int, _ versions: String, _ values: String = "{}", asked: String = "null",
        fresh: Bool = true
    ) -> String {
        #"{"op":"show","client":"\#(client)","space":"s","place":"p","begin":\#(begin),"versions":\#(versions),"#
            + #""asked":\#(asked),"fresh":\#(fresh),"values":\#(values)}"#
    }

    @Test func `values are of the versions beside them`() throws {
        let values = #"{"one":[3,null],"both":[3,1],"common":[null,1]}"#
        #expect(try promises([show("c", 0, "[3,1]", values)]).isEmpty)
        #expect(try promises([show("c", 0, "[2,1]", values)]) == [.valuesOfVersions])
        #expect(try promises([show("c", 0, "[3,2]", values)]) == [.valuesOfVersions])
        #expect(try promises([show("c", 0, "[3,1]", #"{"one":[3,1],"two":[4,1]}"#)]) == [.valuesOfVersions])
    }

    @Test func `a client is shown no less than it names`() throws {
        #expect(try promises([show("c", 0, "[3,1]", asked: "[3,1]")]).isEmpty)
        #expect(try promises([show("c", 0, "[3,1]", asked: "[4,1]", fresh: false)]) == [.clientsForward])
        #expect(try promises([show("c", 0, "[5,1]", asked: "[4,2]", fresh: false)]) == [.clientsForward])
    }

    @Test func `fresh reads show a client no less of a space than it has seen`() throws {
        let near = show("c", 0, "[3,1]", fresh: false)
        #expect(try promises([near, show("c", 1, "[2,1]", fresh: false)]).isEmpty)
        #expect(try promises([near, show("d", 1, "[2,1]")]).isEmpty)
        #expect(try promises([near, show("c", 1, "[2,1]")]) == [.readsForward])
        let answered = add("a", 0, 10, "ok", version: 3)
        #expect(try promises([answered, show("c", 11, "[2,0]")]) == [.freshLooks])
        #expect(try promises([answered, show("c", 10, "[2,0]"), show("c", 11, "[2,0]", fresh: false)]).isEmpty)
    }

    @Test func `an answered action must be there once`() throws {
        #expect(try promises([add("a", 0, 1, "ok"), final("A", 0, "{}")]) == [.answeredOnce])
        #expect(try promises([add("a", 0, 1, "ok"), final("A", 2, #"{"a":2}"#)]) == [.answeredOnce])
        #expect(try promises([add("a", 0, 1, "ok"), final("A", 1, #"{"a":1}"#)]).isEmpty)
    }

    @Test func `an unknown action may be there once, a refused one never`() throws {
        #expect(try promises([add("a", 0, 1, "unknown"), final("A", 0, "{}")]).isEmpty)
        #expect(try promises([add("a", 0, 1, "unknown"), final("A", 2, #"{"a":2}"#)]) == [.unknownAtMostOnce])
        #expect(try promises([add("a", 0, 1, "refused"), final("A", 1, #"{"a":1}"#)]) == [.refusedNever])
    }

    @Test func `nothing is invented or foreseen`() throws {
        #expect(try promises([final("A", 1, #"{"x":1}"#)]) == [.nothingInvented])
        #expect(try promises([look(0, 1, 1, #"{"x":1}"#)]) == [.nothingInvented])
        #expect(try promises([add("a", 5, 6, "ok"), look(0, 4, 1, #"{"a":1}"#)]) == [.nothingForeseen])
        #expect(try promises([#"{"op":"effect","space":"s","number":"x"}"#]) == [.nothingInvented])
        #expect(
            try promises([add("a", 0, 1, "refused"), #"{"op":"effect","space":"s","number":"a"}"#]) == [
                .nothingInvented
            ])
    }

    @Test func `a fresh look shows what was answered before it began`() throws {
        let answered = add("a", 0, 10, "ok", version: 3)
        #expect(try promises([answered, look(11, 12, 2, #"{"a":1}"#)]) == [.freshLooks])
        #expect(try promises([answered, look(11, 12, 3, "{}")]) == [.freshLooks])
        #expect(try promises([answered, look(10, 12, 2, "{}")]).isEmpty)
        #expect(try promises([answered, look(11, 12, 2, "{}", fresh: false)]).isEmpty)
    }

    @Test func `a register has the last written value`() throws {
        let writes = [write("1", 0, 1, "ok"), write("2", 5, 6, "ok"), write("3", 6, 9, "unknown")]
        #expect(try promises(writes + [final("A", 2, "{}", "2")]).isEmpty)
        #expect(try promises(writes + [final("A", 2, "{}", "3")]).isEmpty)
        #expect(try promises(writes + [final("A", 2, "{}", "1")]) == [.answeredOnce])
        #expect(try promises(writes + [final("A", 2, "{}", "4")]) == [.nothingInvented])
        #expect(try promises(writes + [final("A", 2, "{}")]) == [.answeredOnce])
        #expect(try promises([write("1", 0, 1, "refused"), final("A", 1, "{}", "1")]) == [.refusedNever])
    }

    @Test func `streams never go back, and changes have no gap`() throws {
        let event = { (stream: Int, version: Int) in
            #"{"op":"event","stream":"\#(stream)","space":"s","version":\#(version)}"#
        }
        #expect(try promises([event(1, 4), event(2, 3), event(1, 3)]) == [.streamsForward])
        let change = { (version: Int) in #"{"op":"change","reader":"1","space":"s","version":\#(version)}"# }
        #expect(try promises([change(3), change(5)]) == [.changesWhole])
        #expect(try promises([change(3), change(3)]) == [.changesWhole])
    }

    @Test func `a version is of one action, and all nodes are equal`() throws {
        #expect(try promises([add("a", 0, 1, "ok", version: 1), add("b", 0, 1, "ok", version: 1)]) == [.versionsOnce])
        #expect(try promises([final("A", 1, "{}"), final("B", 2, "{}")]) == [.nodesEqual])
        #expect(
            try promises([add("a", 0, 1, "unknown"), final("A", 1, "{}"), final("B", 1, #"{"a":1}"#)]) == [.nodesEqual])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"op":"x"}"#, #"{"op":"add","space":"s"}"#, #"{"op":"event","stream":"1","space":"s"}"#,
    ])
    func `a line that is no observation is refused`(_ line: String) {
        #expect(throws: (any Error).self) { try HistoryRecord(line: line) }
    }
}
