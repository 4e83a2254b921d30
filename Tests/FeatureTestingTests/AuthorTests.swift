import FeatureTesting
import JSON
import StateStore
import Testing

@Suite struct AuthorTests {
    let server: TestServer

    init() throws {
        server = try TestServer([Diary.feature])
    }

    private func ids(_ answer: Answer) throws -> [String] { try [String](parsing: answer.result) }

    @Test func `a failed expectation shows the server in short`() throws {
        let answer = try server.perform("diary/write", #"{"text": "a"}"#)
        withKnownIssue { try #require(server.now == Timestamp(microseconds: .max) && answer.version == 0) }
        withKnownIssue { #expect(server.now == Timestamp(microseconds: .min)) }
        var text = ""
        dump(server, to: &text)
        #expect(text.contains("diary") && text.contains("2023-11-14T22:13:20") && text.utf8.count < 1_000)
        #expect("\(Timestamp(microseconds: .max)) \(Timestamp(microseconds: .min))".hasPrefix("9999-12-31T23:59:59"))
    }

    /// A record whose shape names one of its properties only.
    struct Terse: Record {
        var text = ""
        var mood: String?

        static let shape = Shape(Terse()) { $0.required("text", \.text) }
    }

    @Test func `a property that a shape does not name is a field, and is not lost`() throws {
        let terse = Terse(text: "a", mood: "good")
        #expect(try Terse(parsing: terse.json()) == terse)
    }

    struct Opaque: Equatable, Sendable { var hidden = 0 }

    struct Measure: Record { var weight = 1.5 }

    struct Named: Record { var text = "" }

    /// A record with computed and stored properties, of which its shape says the computed one only.
    struct Halved: Record {
        var whole = 2
        var half: Int {
            get { whole / 2 }
            set { whole = newValue * 2 }
        }
        var other = 0

        static let shape = Shape(Halved()) { $0.optional("half", \.half) }
    }

    struct Wrong: Record {
        var name = ""
        var opaque = Opaque()
    }

    private struct OneState<Row: Record> { let rows = Table<String, [Row]>() }

    private struct OneService<Row: Record, Input: Record, Output: Record>: StateService {
        let put: AnsweringAction<Input, [Output]>

        init(_ state: OneState<Row>) { put = AnsweringAction { _, _ in [] } }
    }

    private struct OneModel<Row: Record, Shown: Record, Parameters: Record>: ViewModel {
        let shown: Observable<Shown>
        let some: ParameterView<Parameters, Int>

        init(_ state: OneState<Row>) {
            shown = state.rows.rowCount().map { _ in Shown() }
            some = ParameterView { _ in state.rows.rowCount() }
        }
    }

    private func fault<Row: Record, Input: Record, Output: Record, Shown: Record, Parameters: Record>(
        _: Row.Type, _: Input.Type, _: Output.Type, _: Shown.Type, _: Parameters.Type
    ) -> String? {
        do {
            _ = try TestServer([
                Feature(
                    "one", OneState<Row>.init, OneService<Row, Input, Output>.init,
                    OneModel<Row, Shown, Parameters>.init)
            ])
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `a record that cannot be JSON is refused by the registration, with the property`() {
        let (good, wrong) = (Named.self, Wrong.self)
        let words = "one: Wrong.opaque is a Opaque, which is no JSON and has no schema: leave it out, or make it so"
        #expect(fault(good, good, good, good, good) == nil)
        #expect(fault(wrong, good, good, good, good) == words && fault(good, wrong, good, good, good) == words)
        #expect(fault(good, good, wrong, good, good) == words && fault(good, good, good, wrong, good) == words)
        #expect(fault(good, good, good, good, wrong) == words)
        #expect(
            fault(Measure.self, good, good, good, good)
                == "one: Measure.weight is a Double, which is no JSON and has no schema: use JSON.Number or Money, which are exact"
        )
        #expect(
            fault(Halved.self, good, good, good, good)
                == "one: Halved has stored properties that its shape leaves out: whole, other")
    }

    @Test func `an action answers a value of its own`() throws {
        let answer = try server.perform("diary/write", #"{"text": "a"}"#)
        #expect(answer.version == 1 && answer.changed == ["diary.notes"])
        #expect(try ids(answer).count == 2)
        // An action without changes answers too, and makes no commit.
        #expect(try server.perform("diary/look").resultText == "2")
        #expect(try server.perform("diary/look").version == 1)
        #expect(try server.perform("diary/remind", #"{"text": "b", "at": "2030-01-01T00:00:00Z"}"#).resultText == nil)
    }

    @Test func `law K10: a repeat with the same key has the first result, also after a restart`() throws {
        let first = try server.perform("diary/write", #"{"text": "a"}"#, key: "k")
        let look = try server.perform("diary/look", key: "l")
        try server.perform("diary/write", #"{"text": "b"}"#)
        for _ in 0..<2 {
            let again = try server.perform("diary/write", #"{"text": "a"}"#, key: "k")
            #expect(again.isReplay && again.result == first.result && again.version == first.version)
            #expect(try server.perform("diary/look", key: "l").result == look.result)
            try server.restart()
        }
    }

    @Test func `law K11: identifiers are unique and sorted, in a commit and over commits`() throws {
        var all: [String] = []
        for round in 0..<50 {
            all += try ids(server.perform("diary/write", #"{"text": "a"}"#))
            if round % 3 == 0 { server.advance(.milliseconds(1)) }
        }
        let other = try ids(server.perform("diary/write", #"{"text": "a"}"#, in: "other"))
        #expect(all == all.sorted() && Set(all + other).count == 102)
        #expect(
            all.allSatisfy { $0.utf8.count == 26 && $0.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLowercase) } })
    }

    @Test func `an action sees its caller, and none where there is none`() throws {
        try server.perform("diary/write", #"{"text": "a"}"#, by: "ada")
        #expect(try server.view("diary.notes").contains(#""by":"ada""#))
        try server.perform("diary/write", #"{"text": "b"}"#)
        #expect(try server.view("diary.notes").contains(#""by":null"#))
    }

    @Test func `a time is a field, a key and an order`() throws {
        for at in ["2030-01-01T00:00:00Z", "2029-06-01T12:00:00.5+02:00"] {
            try server.perform("diary/remind", #"{"text": "a", "at": "\#(at)"}"#)
        }
        try server.restart()
        #expect(
            try server.view("diary.reminders")
                == #"[{"text":"a","at":"2029-06-01T10:00:00.500000Z","by":null},{"text":"a","at":"2030-01-01T00:00:00.000000Z","by":null}]"#
        )
        for at in [#""yesterday""#, "5", #""2030-13-01T00:00:00Z""#, #""2030-01-01 00:00:00Z""#, "null"] {
            #expect(throws: TestRefusal.self) {
                try server.perform("diary/remind", #"{"text": "a", "at": \#(at)}"#)
            }
        }
        do {
            try server.perform("diary/remind", #"{"text": "a", "at": "2001-01-01T00:00:00Z"}"#)
            Issue.record("a time in the past is taken")
        } catch let refusal as TestRefusal {
            #expect(refusal.description == "the time has passed" && refusal.rejection?.kind == .invalid)
        }
    }

    @Test func `money adds up without try, and keeps its range`() throws {
        #expect(try server.perform("diary/spend", #"{"amount": 10.5}"#).resultText == "12.5")
        #expect(try server.perform("diary/spend", #"{"amount": 0.1, "times": 3}"#).resultText == "12.82")
        let huge = try server.perform("diary/spend", #"{"amount": 10000, "times": 9223372036854775807}"#)
        #expect(huge.resultText == "9999999999999999.99")
        for amount in ["0.001", "-1", "10000.01", "1e30", #""1""#] {
            #expect(throws: TestRefusal.self, "\(amount)") {
                try server.perform("diary/spend", #"{"amount": \#(amount)}"#)
            }
        }
    }

    @Test func `a watch has the values of a view in their order`() throws {
        let watch = try server.watch("diary.spent")
        try server.perform("diary/spend", #"{"amount": 100}"#)
        try server.perform("diary/spend", #"{"amount": 0}"#)
        #expect(watch.values == ["0", "119"])
    }
}
