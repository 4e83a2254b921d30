package import JSON
import Reactive
package import StateStore

/// A compiler of documents that tests write by hand: each describes a counter.
///
///     {"home": "common", "label": "a", "factor": 2, "given": "other", "views": ["total", "label"]}
///
/// A counter has the variable `total` and the table `notes`, the actions `add` (`{"by": 1}`) and `note` (`{"key": "k"}`),
/// and the views that `views` lists. With `"kind": "string"` the total is a text; `state.total.migrate` makes it one from a
/// number of at most that size. A document with `fault` has that fault; one with `failing` has a test that fails.
package struct ScriptedCompiler: DocumentCompiler {
    package init() {}

    package func compile(
        _ documents: [String: JSON], beside others: [String: FeatureSummary], hiding: [String: LaterPrivacy]
    ) -> [String: Result<any FeatureDescription, DocumentFaults>] {
        var results: [String: Result<any FeatureDescription, DocumentFaults>] = [:]
        let names = Set(others.keys).union(documents.keys)
        for (name, document) in documents {
            let counter = Counter(name, document)
            var faults: [DocumentFault] = []
            if case .string(let text)? = document["fault"] {
                faults.append(DocumentFault(text, at: JSONPointer(["fault"]), allowed: ["none"]))
            }
            for given in counter.given where !names.contains(given) {
                faults.append(DocumentFault("there is no feature \(given)", at: JSONPointer(["given"])))
            }
            results[name] = faults.isEmpty ? .success(counter) : .failure(DocumentFaults(faults))
        }
        return results
    }

    package func test(
        _ documents: [String: any FeatureDescription], of name: String, beside others: Registry,
        goesOn: @Sendable () -> Bool
    ) -> DocumentTests {
        guard let counter = documents[name] as? Counter, counter.fails else { return DocumentTests(passed: 1) }
        return DocumentTests(
            passed: 1, failed: [.init("it counts", "total is 1", at: JSONPointer(["tests", "0", "steps", "1"]))])
    }
}

/// A counter.
private final class Counter: FeatureDescription {
    let name: String
    let scope: Scope
    let given: [String]
    let label: String
    let factor: Int
    let fails: Bool
    let readsSpaceName = true
    private let kind: String
    /// The greatest number that a migration takes; nil for a document without one.
    private let migratedUpTo: Int?
    private let defaultNote: JSON?
    private let viewNames: [String]

    init(_ name: String, _ document: JSON) {
        func text(_ member: String) -> String? {
            guard case .string(let text)? = document[member] else { return nil }
            return text
        }
        self.name = name
        scope = text("home") == "common" ? .common : .space
        given = text("given").map { [$0] } ?? []
        label = text("label") ?? ""
        kind = text("kind") ?? "integer"
        fails = document["failing"] == true
        migratedUpTo =
            if case .number(let limit)? = document["state"]?["total"]?["migrate"] { limit.int64.map { Int($0) } } else {
                nil
            }
        defaultNote = document["defaultNote"]
        factor = document["factor"] == 2 ? 2 : 1
        if case .array(let names)? = document["views"] {
            viewNames = names.compactMap { if case .string(let name) = $0 { name } else { nil } }
        } else {
            viewNames = ["total", "label", "notes", "space", "larger", "k"] + (given.isEmpty ? [] : ["sum"])
        }
    }

    var state: [StateDescription] {
        let (kind, defaultNote) = (kind, defaultNote)
        var migrate: (@Sendable (JSON, String?) throws -> JSON)?
        if let limit = migratedUpTo {
            migrate = { old, _ in
                guard case .number(let number) = old, let value = number.int64, value <= Int64(limit) else {
                    throw TooLarge()
                }
                return JSON.string("was \(value)")
            }
        }
        let fault: @Sendable (JSON, Bool) -> String? = { value, _ in
            var isText = false
            if case .string = value { isText = true }
            return isText == (kind == "string") ? nil : "another kind of value"
        }
        let fill: @Sendable (JSON) -> JSON = { row in row == JSON.number(0) ? defaultNote ?? row : row }
        let initial: JSON = kind == "string" ? JSON.string("") : JSON.number(0)
        let total = StateDescription(
            "total", .variable(initial: initial), schema: ["type": JSON.string(kind)], migrate: migrate, fault: fault)
        return [total, StateDescription("notes", .table, schema: ["type": "integer"], fill: fill)]
    }

    private struct TooLarge: Error, CustomStringConvertible { let description = "the total is too large" }

    var actions: [ActionOutline] {
        [
            ActionOutline("add", input: ["type": "object"], output: ["type": "integer"]),
            ActionOutline("note", input: ["type": "object"]),
        ]
    }

    var views: [ViewOutline] {
        viewNames.map { name in
            name == "larger"
                ? ViewOutline(
                    name, value: ["type": "boolean"],
                    parameters: [
                        "type": "object", "properties": ["than": ["type": "integer"]], "required": ["than"],
                    ]) : ViewOutline(name, value: [:])
        }
    }

    func faults(after old: any FeatureDescription) -> [DocumentFault] {
        guard let old = old as? Counter, old.kind != kind, migratedUpTo == nil else { return [] }
        return [DocumentFault("an old total may be no \(kind)", at: JSONPointer(["state", "total"]))]
    }

    func parts(in space: DescribedSpace) -> DescribedParts {
        guard case .variable(let total) = space.state[0], case .table(let notes) = space.state[1] else {
            return DescribedParts(actions: [], views: [])
        }
        let add: DescribedParts.Perform = { [factor, kind] input, commit throws(Rejection) in
            if kind == "string" {
                commit[total] = "added"
                return commit[total]
            }
            guard case .number(let by)? = input["by"], let by = by.int64, case .number(let old) = commit[total],
                let old = old.int64
            else { throw .invalid("by is an integer", at: "by") }
            let sum = JSON.number(Decimal(Int(old) + Int(by) * factor))
            commit[total] = sum
            return sum
        }
        let note: DescribedParts.Perform = { input, commit throws(Rejection) in
            guard case .string(let key)? = input["key"] else { throw .invalid("key is a text", at: "key") }
            commit[notes, key] = DescribedRow(.number(Decimal(commit.rowCount(of: notes))))
            return nil
        }
        return DescribedParts(actions: [add, note], views: viewNames.map { make($0, total, notes, space) })
    }

    private func make(
        _ view: String, _ total: Variable<JSON>, _ notes: Table<String, DescribedRow>, _ space: DescribedSpace
    ) -> DescribedParts.MakeView {
        switch view {
        case "total": { _ in .value(total.map { $0 }) }
        case "label": { [label] _ in .value(total.map { _ in .string(label) }) }
        case "notes": { _ in .list(notes.sorted().map { key, _ in .string(key) }) }
        case "k": { _ in .value(notes.row("k").map { $0?.value ?? .null }) }
        case "space": { _ in .value(total.map { _ in .string(space.name) }) }
        case "larger":
            { input in
                .value(
                    total.map { total in
                        guard case .number(let total) = total, case .number(let than)? = input["than"] else {
                            return .null
                        }
                        return .bool(total > than)
                    })
            }
        default:
            { [given] _ in
                guard case .variable(let other, _)? = space.given[given.first ?? ""]?["total"] else {
                    return .value(.just(.null))
                }
                return .value(combineLatest(total, other).map { .array([$0, $1]) })
            }
        }
    }
}
