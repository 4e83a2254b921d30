internal import Ground
package import JSON

/// Several actions that one call performs in one commit, all or none.
package final class ActionBatch: SpaceAction {
    /// The action of the call, and of its commit.
    package static let action = ActionID(feature: "space", action: "actions")
    /// The maximum number of actions.
    package static let limit = 100

    /// One of the actions.
    package struct BatchPart: Sendable {
        /// The action as it was found when the list was read.
        package let id: ActionID
        package let input: JSON
        /// The input as text.
        package let text: [UInt8]
    }

    package let parts: [BatchPart]

    /// The actions, in their order.
    package var ids: [ActionID] { parts.map(\.id) }

    /// Reads `{"actions": [{"name": "cart/add", "input": {…}}, …]}`. All faults come at once.
    package init(_ body: JSON, in space: SpaceName, by registry: Registry) throws(BatchFault) {
        var faults: [Rejection.Detail] = []
        var parts: [BatchPart] = []
        switch body {
        case .object(let members):
            for member in members where member.key != "actions" {
                faults.append(
                    .init("there is no member of this name", at: JSONPointer([member.key]), allowed: ["actions"]))
            }
            if case .array(let actions)? = members["actions"], (1...Self.limit).contains(actions.count) {
                for (index, action) in actions.enumerated() {
                    if let part = Self.part(action, ["actions", "\(index)"], registry, &faults) { parts.append(part) }
                }
            } else {
                faults.append(.init("actions is a list of 1 to \(Self.limit) actions", at: JSONPointer(["actions"])))
            }
        default: faults.append(.init("the body must be an object with the list actions", at: JSONPointer()))
        }
        self.parts = parts
        if let first = faults.first {
            throw .rejected(
                Rejection(
                    .invalid, first.description, at: first.pointer, allowed: first.allowed,
                    others: Array(faults.dropFirst())))
        }
        for (index, id) in ids.enumerated() where (id.scope == .common) != (space == .common) {
            throw .wrongSpace(id.scope, name: id.name, at: JSONPointer(["actions", "\(index)", "name"]))
        }
    }

    /// The reason why a body lists no actions that can be performed in a space.
    package enum BatchFault: Error {
        case rejected(Rejection)
        /// An action belongs to `common` and was sent to another space, or the reverse. The scope is that of the action.
        case wrongSpace(Scope, name: String, at: JSONPointer)
    }

    private static func part(
        _ json: JSON, _ place: [String], _ registry: Registry, _ faults: inout [Rejection.Detail]
    ) -> BatchPart? {
        guard case .object(let members) = json else {
            faults.append(.init("an action is an object with name and input", at: JSONPointer(place)))
            return nil
        }
        for member in members where member.key != "name" && member.key != "input" {
            faults.append(
                .init(
                    "there is no member of this name", at: JSONPointer(place + [member.key]),
                    allowed: ["name", "input"]))
        }
        guard case .string(let name)? = members["name"] else {
            faults.append(.init("name is the name of an action, as in cart/add", at: JSONPointer(place + ["name"])))
            return nil
        }
        let input = members["input"] ?? [:]
        guard case .object = input, let text = try? input.json() else {
            faults.append(.init("the input of an action is an object", at: JSONPointer(place + ["input"])))
            return nil
        }
        let names = name.split(separator: "/", maxSplits: 1).map(String.init)
        guard names.count == 2, let id = registry.action(feature: names[0], name: names[1]) else {
            let all = registry.actions.map { "\($0.feature)/\($0.name)" }
            let hint = Spelling.nearest(to: name, among: all).map { "; did you mean \($0)?" } ?? ""
            faults.append(
                .init(
                    "there is no action \"\(name.prefix(64))\"\(hint)", at: JSONPointer(place + ["name"]), allowed: all)
            )
            return nil
        }
        if id.defines {
            faults.append(.init("\(name) changes definitions: send it alone", at: JSONPointer(place + ["name"])))
            return nil
        }
        return BatchPart(id: id, input: input, text: text)
    }

    /// The call that performs the actions.
    package func call(
        input: [UInt8]?, _ json: JSON, key: String?, views: ReadPermit?, condition: Call.Condition?, caller: Caller
    ) -> Call {
        Call(
            Self.action, input: input, key: key, views: views, condition: condition, caller: caller
        ).with(self, json)
    }

    /// The rejection of one of the actions, with pointers into the list.
    package func rejection(of index: Int, _ rejection: Rejection) -> Rejection {
        rejection.moved(below: ["actions", "\(index)", "input"], whole: ["actions", "\(index)"])
    }
}
