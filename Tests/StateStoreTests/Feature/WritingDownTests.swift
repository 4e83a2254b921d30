import JSON
import Reactive
import StateStore
import Testing

/// Changes are encoded by specialized or by unspecialized code, with the same result.
struct WritingDownTests {
    /// Returns the stored facts of actions with inputs, and the refusals.
    private func told(byType: Bool, _ actions: [(String, Int)]) throws -> [String] {
        let journal = MemoryJournal()
        let feature = Feature("dial", { DialState(byType: byType) }, DialService.init, DialViewModel.init)
        let stores = try Stores(
            Registry([feature]), executors: [TestExecutor()], writer: InlineJournalWriter(journal), seed: 1,
            clock: { Timestamp(microseconds: 0) })
        var told: [String] = []
        for (action, number) in actions {
            stores[0].perform(
                Call(feature: "dial", action: action, input: Array("{\"number\":\(number)}".utf8)), in: .main
            ) { result in
                switch result {
                case .success(let answer): told.append("\(answer.version) \(answer.changed)")
                case .failure(let refusal): told.append("\(refusal)")
                }
            }
        }
        guard case .commits(let commits) = try journal.read(.main, after: 0, limit: 100) else { return told }
        for fact in commits.flatMap(\.facts) {
            told.append(
                "\(fact.variable) \(fact.entry ?? "-") \(fact.value.map { String(decoding: $0, as: UTF8.self) } ?? "gone")"
            )
        }
        return told
    }

    // Law K6
    @Test func `both encoders write the same facts and throw the same errors`() throws {
        let actions = [
            ("turn", 1), ("turn", 1), ("turn", 0), ("put", 2), ("put", 2), ("put", 0), ("put", 3), ("clear", 0),
            ("turn", 2), ("put", 2),
        ]
        let byType = try told(byType: true, actions)
        #expect(byType == (try told(byType: false, actions)))
        #expect(byType.filter { $0.contains("the result cannot be kept") }.count == 2)
        #expect(byType.contains("dial.marks m2 0.5") && byType.contains("dial.marks - {}"))
    }

    @Test func `the registry reports which encoder a variable uses`() throws {
        for byType in [true, false] {
            let registry = try Registry([
                Feature("dial", { DialState(byType: byType) }, DialService.init, DialViewModel.init)
            ])
            #expect(registry.variables.map(\.isWrittenByType) == [byType, byType])
        }
    }
}

/// The reading of a dial: 1 divided by a number. For 0 there is no JSON number.
private struct Reading: JSONConvertible, SchemaProviding, Equatable {
    static let schema: JSON = ["type": "number"]
    let value: Double

    init(of number: Int) {
        value = 1 / Double(number)
    }

    init(from reader: inout JSONReader) throws(JSONError) {
        value = try reader.double()
    }

    func write(to writer: inout JSONWriter) {
        writer.double(value)
    }
}

private struct DialState {
    let value: Variable<Reading>
    let marks: Table<String, Reading>

    init(byType: Bool) {
        value = byType ? Variable(Reading(of: 1)) : Self.variable(Reading(of: 1))
        marks = byType ? Table() : Self.table()
    }

    // Unspecialized code does not know that the type is JSON.
    private static func variable<Value: Equatable>(_ value: Value) -> Variable<Value> { Variable(value) }
    private static func table<Key: Hashable, Row: Equatable>() -> Table<Key, Row> { Table() }
}

private struct DialService: StateService {
    let turn: Action<Turn>
    let put: Action<Turn>
    let clear: Action<Turn>

    init(_ dial: DialState) {
        turn = Action { input, commit in commit[dial.value] = Reading(of: input.number) }
        put = Action { input, commit in commit[dial.marks, "m\(input.number)"] = Reading(of: input.number) }
        clear = Action { _, commit in commit.removeAll(of: dial.marks) }
    }
}

private struct Turn: Record {
    var number = 0

    static let shape = Shape(Turn()) { $0.required("number", \.number) }
}

private struct DialViewModel: ViewModel {
    let value: Observable<Reading>

    init(_ dial: DialState) {
        value = dial.value
    }
}
