import Ground
import JSON
import StateStore

/// A model of the features of a run of documents: it takes the commits of a space, and computes the views by hand.
struct DeskModel {

    private(set) var rows = ["first": (by: "nobody", text: "begin")]
    /// The keys in the order of their first adding.
    private var order = ["first"]
    private(set) var beats: [Int] = []
    private(set) var ticks: [Int] = []
    private var most = 0
    private var adds = 0
    private var number = 0
    private var taken: Int?
    private var total = 0
    private var count = 0
    /// The streams that clients have put: the value of `sum`, and the number that `late` adds.
    private var sum: Int?
    private var late: Int?
    /// The commits that the rules forbid, and the firings that came twice or late.
    private(set) var complaints: [String] = []

    init(_ commits: [CommitRecord]) {
        for commit in commits { take(commit) }
        check(beats, every: 60, commits)
        check(ticks, every: 120, commits)
    }

    private mutating func take(_ commit: CommitRecord) {
        let input = (try? JSON(parsing: commit.input ?? Array("{}".utf8))) ?? .null
        func text(_ name: String) -> String { if case .string(let text)? = input[name] { text } else { "" } }
        switch commit.action {
        case "desk/add":
            let old = rows.updateValue((by: commit.by, text: text("text")), forKey: text("id"))
            if old == nil { order.append(text("id")) }
            adds += 1
        case "desk/remove":
            if rows[text("id")]?.by != commit.by {
                complaints.append("\(commit.by) has removed a row of \(rows[text("id")]?.by ?? "nobody at all")")
            }
            rows[text("id")] = nil
            order.removeAll { $0 == text("id") }
        case "desk/beat": beats.append(Int((RFC3339.microseconds(of: text("at")) ?? 0) / 1_000_000))
        case "desk/tick": ticks.append(Int((RFC3339.microseconds(of: text("at")) ?? 0) / 1_000_000))
        case "tally/set":
            let new = Self.number(input["n"])
            if new != number, let before = sum { sum = before + new }
            number = new
            count += 1
        case "streams/put" where text("id") == "sum":
            sum = Self.number(input["operators"]?[0]?["scan"]?["initialValue"]) + number
        case "streams/put": late = Int(Self.added(input))
        case "streams/remove" where text("id") == "sum": sum = nil
        case "streams/remove": late = nil
        default: break
        }
        most = max(most, rows.count)
        if taken != number {
            taken = number
            total += number
        }
    }

    private static func number(_ json: JSON?) -> Int {
        json.flatMap { (try? $0.json()).flatMap { Int(String(decoding: $0, as: UTF8.self)) } } ?? -1
    }

    /// The number in the expression of `late`.
    private static func added(_ definition: JSON) -> String {
        guard case .string(let expression)? = definition["operators"]?[1]?["map"]?["expression"] else { return "" }
        return String(expression.dropFirst("value + ".count))
    }

    /// Each period after the first commit has one firing.
    private mutating func check(_ firings: [Int], every period: Int, _ commits: [CommitRecord]) {
        guard let first = commits.first, let last = commits.last else { return }
        let due = firings.map { $0 / period }
        let begun = Int(first.at.seconds) / period + 1
        let expected = Array(begun..<max(begun, Int(last.at.seconds) / period + 1))
        if due != expected { complaints.append("the periods \(expected) have the firings \(due)") }
    }

    /// The values of the views, as JSON.
    var views: [String: String] {
        let all = order.map { "\($0) \(rows[$0]?.by ?? "") \(rows[$0]?.text ?? "")" }
        var values = [
            "desk.all": "[" + all.map { "\"\($0)\"" }.joined(separator: ",") + "]",
            "desk.beats": "\(beats.count)", "desk.ticks": "\(ticks.count)", "desk.most": "\(most)",
            "desk.adds": "\(adds)", "desk.calm": "\(rows.count)", "tally.total": "\(total)",
            "tally.count": "\(count)",
        ]
        values["streams.sum"] = sum.map { "\($0)" }
        values["streams.late"] = late.map { "\(count + $0)" }
        return values
    }
}
