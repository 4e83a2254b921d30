import JSON
import Reactive
import Testing

@testable import StateStore

/// The stored form of a row with its first adding.
struct DescribedRowTests {
    private static let added = FirstAdding(version: 18, index: 3)
    private static let deep = (1..<JSONReader.depthLimit).reduce(JSON.array([])) { value, _ in .array([value]) }

    @Test(arguments: [["a": 1], "text", 3, true, [], ["\u{0}"], ["\u{0}", 1, 2, "x"], deep] as [JSON])
    func `a row reads back as it was, alone and in a whole table`(_ value: JSON) throws {
        for row in [DescribedRow(value), DescribedRow(value, added: Self.added)] {
            let bytes = try row.json()
            #expect(try DescribedRow(parsing: bytes) == row)
            #expect(try DescribedRow.shown(bytes) == value.json())
            guard value != Self.deep else { continue }
            let whole = try ["k": row].json()
            #expect(try [String: DescribedRow](parsing: whole) == ["k": row])
            #expect(try DescribedRow.shown(whole: whole) == ["k": value].json())
            #expect(
                Fact(variable: "v", value: whole).hasAddings == Fact(variable: "v", entry: "k", value: bytes).hasAddings
            )
        }
    }

    @Test func `the form is an array, and a row without first adding is stored as it is`() throws {
        let row = DescribedRow(["n": 1], added: Self.added)
        #expect(String(decoding: try row.json(), as: UTF8.self) == #"["\u0000",18,3,{"n":1}]"#)
        #expect(String(decoding: try DescribedRow(["n": 1]).json(), as: UTF8.self) == #"{"n":1}"#)
    }

    @Test(arguments: [
        #"["\u0000"]"#, #"["\u0000",1,2]"#, #"["\u0000",1,2,3,4]"#, #"["\u0000","a",2,3]"#, #"["\u0000x",1,2,3]"#,
        #"["\u0000",9223372036854775807,0,3]"#, #"["\u0000",1,-1,3]"#,
    ])
    func `an array that only begins as the form does is a row`(_ text: String) throws {
        let row = try DescribedRow(parsing: Array(text.utf8))
        #expect(try row == DescribedRow(JSON(parsing: Array(text.utf8))))
        #expect(try DescribedRow(parsing: row.json()) == row)
    }

    @Test func `a table in Swift reads the rows that a document has left`() throws {
        let table = Table<String, Int>()
        try table.restore(
            Fact(variable: "v", value: ["a": DescribedRow(1, added: Self.added), "b": DescribedRow(2)].json()))
        try table.restore(Fact(variable: "v", entry: "c", value: DescribedRow(3, added: Self.added).json()))
        #expect(table.rows == ["a": 1, "b": 2, "c": 3])
    }

    @Test func `an unknown first adding precedes all others`() {
        let order = [FirstAdding.unknown, FirstAdding(version: 0, index: 0), FirstAdding(version: 0, index: 1)]
        #expect((order + [Self.added]).shuffled().sorted() == order + [Self.added])
    }
}
