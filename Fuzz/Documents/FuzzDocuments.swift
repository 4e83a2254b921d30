import Hosting
import Documents
import JSON
import StateStore
import Synchronization

/// The rounds that a run may take.
private let rounds = 200

/// Compiles the bytes as a feature document. The document is refused with faults in words, or compiles the same way
/// each time. Then its tests run, and a test that performs each action and reads each view.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDocuments(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let json = try? JSON(parsing: bytes) else { return 0 }
    check(json)
    if case .object(let document) = json { check(.object(tested(document))) }
    return 0
}

private func check(_ json: JSON) {
    var name = "x"
    if case .string(let text)? = json["feature"] { name = text }
    let first = FeatureCompiler().compile([name: json], beside: [:])
    let second = FeatureCompiler().compile([name: json], beside: [:])
    switch (first[name], second[name]) {
    case (.failure(let first)?, .failure(let second)?):
        precondition(!first.all.isEmpty && first.all.count <= DocumentLimits.faults, "no faults, or too many")
        precondition(first.all.map(\.detail) == second.all.map(\.detail), "two lists of faults")
        precondition(first.all.allSatisfy { !$0.detail.isEmpty }, "a fault without words")
    case (.success(let feature)?, .success?): run(feature, name)
    default: preconditionFailure("the document compiles or not as it likes")
    }
}

private func run(_ feature: any FeatureDescription, _ name: String) {
    precondition(feature.plan.allSatisfy { $0["pointer"] != nil }, "a read without a place")
    precondition(feature.warnings.allSatisfy { !$0.detail.isEmpty }, "a warning without words")
    guard let registry = try? Registry([]) else { preconditionFailure("no registry") }
    let left = Atomic(rounds)
    let tests = FeatureCompiler().test([name: feature], of: name, beside: registry) {
        left.subtract(1, ordering: .relaxed).newValue > 0
    }
    precondition(tests.failed.allSatisfy { !$0.detail.isEmpty }, "a failure without words")
}

/// The document with a test that performs each action twice and reads each view.
private func tested(_ document: JSON.Object) -> JSON.Object {
    var document = document
    var steps: [JSON] = []
    let inputs: [JSON] = [[:], ["id": "a", "text": "x", "n": 3]]
    if case .object(let actions)? = document["actions"] {
        for action in actions.prefix(8) {
            for input in inputs {
                // Each action in a test of its own, because a refusal ends a test.
                steps.append(["act": .string(action.key), "input": input])
            }
        }
    }
    if case .object(let views)? = document["views"] {
        for view in views.prefix(8) { steps.append(["expect": .object(object(view.key, 0))]) }
    }
    document["tests"] = .array(steps.map { ["name": "one step", "steps": [$0]] })
    return document
}

private func object(_ name: String, _ value: JSON) -> JSON.Object {
    var object = JSON.Object()
    object[name] = value
    return object
}
