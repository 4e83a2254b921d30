import StateStore
import Testing

struct FactsTests {
    private static let one = Fact(variable: "a.x", value: Array("1".utf8))
    private static let entries = ["k", "l"].map { Fact(variable: "a.t", entry: $0, value: nil) }

    @Test(arguments: [[], [one], [one, entries[0]], [one] + entries])
    func `facts equal the list that they are created from`(list: [Fact]) {
        let facts = Facts(list)
        #expect(Array(facts) == list)
        #expect(facts.count == list.count && facts.isEmpty == list.isEmpty)
        #expect(facts.indices.map { facts[$0] } == list)
        var each: [Fact] = []
        facts.forEach { each.append($0) }
        #expect(each == list)
        #expect(facts.last == list.last)
    }

    @Test func `facts are equal if and only if their contents are equal`() {
        #expect(Facts([Self.one]) == [Self.one])
        #expect(Set([Facts([Self.one]), [Self.one], Facts(), []]).count == 2)
        #expect(Facts([Self.one]) != [Self.one, Self.one])
        #expect(Facts([Self.one]) != [Self.entries[0]])
    }

    @Test func `a commit lists each changed variable once, in order`() {
        func changed(_ facts: [Fact]) -> [String] {
            CommitRecord(
                space: .common, version: 1, at: Timestamp(microseconds: 0), action: "a/b", input: nil, facts: facts
            ).changed
        }
        #expect(changed([]) == [])
        #expect(changed([Self.one]) == ["a.x"])
        #expect(changed(Self.entries + [Self.one]) == ["a.t", "a.x"])
    }
}
