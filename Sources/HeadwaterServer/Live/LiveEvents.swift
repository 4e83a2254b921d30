import HTTP
import JSON
import StateStore

/// The events of a live stream's present step, each written once for all readers that need it.
struct LiveEvents {
    private struct Key: Hashable {
        let step: Int
        let isPatch: Bool
    }

    private var pieces: [Key: Piece] = [:]
    /// The events that are kept: readers at the same step are many, steps of readers that are behind are few.
    private static let keptLimit = 8

    /// Returns the event with all values.
    mutating func whole(_ values: LiveValues, _ id: LiveID) -> Piece {
        piece(Key(step: -1, isPatch: false)) { Self.event(after: -1, values, id) }
    }

    /// Returns the event for a reader of an earlier step.
    mutating func event(after step: Int, _ values: LiveValues, _ id: LiveID, _ patches: [ViewPatches]?) -> Piece {
        if step < values.lifeStep {
            return piece(Key(step: -2, isPatch: false)) { Self.event(after: -1, values, id, isReset: true) }
        }
        if let patches, step >= values.wholeStep, values.failure == nil {
            return piece(Key(step: step, isPatch: true)) { Self.patch(after: step, values, id, patches) }
        }
        return piece(Key(step: step, isPatch: false)) { Self.event(after: step, values, id) }
    }

    private mutating func piece(_ key: Key, _ text: () -> Rope) -> Piece {
        if let piece = pieces[key] { return piece }
        let piece = Piece(text(), isNewest: true)
        if pieces.count >= Self.keptLimit { pieces = [:] }
        pieces[key] = piece
        return piece
    }

    private static func event(
        after step: Int, _ values: LiveValues, _ id: LiveID, isReset: Bool = false
    ) -> Rope {
        var text = RopeWriter()
        if isReset { StepEvents.reset(appendingTo: &text.text) }
        var isAlone = true
        for (view, name) in values.selection.names.enumerated() {
            guard let failure = values.goneFailure(of: view) else {
                isAlone = false
                continue
            }
            guard values.changedAt[view] > step else { continue }
            EventText.event(id: id.text, name: "gone", data: Problem.gone(name, failure), appendingTo: &text.text)
        }
        if isAlone { return text.rope }
        let data = data(after: step, values) { values.value(of: $0).written }
        EventText.event(id: id.text, line: data, appendingTo: &text)
        return text.rope
    }

    private static func patch(
        after step: Int, _ values: LiveValues, _ id: LiveID, _ patches: [ViewPatches]
    ) -> Rope {
        let data = data(after: step, values) { Rope(patches[$0].member(after: step, to: values.value(of: $0))) }
        var text: [UInt8] = []
        EventText.event(id: id.text, name: "patch", data: data.joined, appendingTo: &text)
        return Rope(text)
    }

    /// Returns an object of the views that changed after a step, with the versions that their spaces show.
    private static func data(after step: Int, _ values: LiveValues, _ member: (Int) -> Rope) -> Rope {
        var object = WrittenObject()
        for (view, name) in values.selection.names.enumerated()
        where values.changedAt[view] > step && values.goneFailure(of: view) == nil {
            object.add(name, member(view))
        }
        var versions = JSON.Object()
        for part in values.parts(after: step) {
            versions["\(values.selection.parts[part].space)"] = .string(values.versions(of: part))
        }
        object.add("_versions", Rope(JSON.object(versions).written))
        return object.rope
    }
}
