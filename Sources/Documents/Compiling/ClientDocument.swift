import Expressions
import JSON
import Schemas
import StateModel

/// The part of a document that clients need to perform its actions and to compute its views over a replica: never rules,
/// conditions of the replica, schedules or tests, and no private value.
struct ClientDocument {
    private let document: FeatureDocument
    private let json: JSON
    private let replica: CompiledReplica
    private let parts: ClientParts

    init(
        _ document: FeatureDocument, _ json: JSON, _ replica: CompiledReplica, _ parts: ClientParts
    ) {
        (self.document, self.json, self.replica, self.parts) = (document, json, replica, parts)
    }

    /// The document for clients, without its hash.
    var content: JSON {
        var actions = JSON.Object()
        for (name, _, reason) in parts.actions {
            guard let whole = json["actions"]?[name] else { continue }
            let members = reason == nil ? ["input", "let", "require", "do", "answer"] : ["input"]
            var shown = Self.members(members, of: whole)
            if let input = shown["input"] { shown["input"] = withoutPrivate(input) }
            if reason != nil {
                shown["predict"] = false
                shown["writes"] = .array(writes(of: name))
            }
            actions[name] = .object(shown)
        }
        var views = JSON.Object()
        for (name, _, reason) in parts.views where reason == nil {
            guard case .object(var view)? = json["views"]?[name] else { continue }
            for member in ["allow", "private"] { view[member] = nil }
            view["sort"] = view["sort"].map(Self.plainOrder)
            views[name] = .object(view)
        }
        var content = JSON.Object()
        content["feature"] = .string(document.name)
        content["home"] = .string(document.home == .common ? "common" : "space")
        let state = self.state
        let definitions = definitions(usedBy: [.object(actions), .object(views), .object(state)])
        if let types = types(usedBy: [.object(actions), .object(views), .object(state), .object(definitions)]) {
            content["types"] = types
        }
        content["state"] = .object(state)
        content["actions"] = .object(actions)
        content["views"] = .object(views)
        if definitions.count > 0 { content["define"] = .object(definitions) }
        return .object(content)
    }

    /// The possible writes of an action that clients do not predict, in the replicated state: the row of a key that reads
    /// the input only, else any row of the table.
    private func writes(of action: String) -> [JSON] {
        guard let action = document.actions.first(where: { $0.name == action }) else { return [] }
        let known = action.privateInput == .none ? rows(in: action.steps) : []
        let keys = Dictionary(grouping: known, by: \.table).mapValues { $0.map(\.key) }
        var seen: Set<String> = []
        return document.targets(of: action.steps).filter { replica.part($0) != nil && seen.insert($0).inserted }
            .flatMap { label -> [JSON] in
                let all = keys[label] ?? []
                // Each write to the table needs a known key.
                guard all.count == document.targets(of: action.steps).count(where: { $0 == label }),
                    case let texts = all.compactMap(\.self), texts.count == all.count
                else { return [["state": .string(label)]] }
                return Set(texts).sorted().map { ["state": .string(label), "key": .string($0)] }
            }
    }

    /// The rows that steps write outside of loops and definitions, with the formulas of keys that read the input only.
    private func rows(in steps: [WrittenStep]) -> [(table: String, key: String?)] {
        steps.flatMap { step -> [(table: String, key: String?)] in
            switch step.form {
            case .put(let name, let key, _), .update(let name, let key, _), .remove(let name, let key):
                [(name.name, FormulaCalls(key.text, [:])?.names == ["input"] ? key.text : nil)]
            case .choice(_, let then, let otherwise): rows(in: then + otherwise)
            case .set, .clear, .each, .call: []
            }
        }
    }

    /// Returns an order whose elements are expressions alone.
    private static func plainOrder(_ sort: JSON) -> JSON {
        if case .array(let elements) = sort { return .array(elements.map(plainOrder)) }
        return sort["by"] ?? sort
    }

    private static func members(_ names: [String], of json: JSON) -> JSON.Object {
        var shown = JSON.Object()
        for name in names { if let member = json[name] { shown[name] = member } }
        return shown
    }

    /// The state that clients hold.
    private var state: JSON.Object {
        var all = JSON.Object()
        for (place, state) in document.state.enumerated() {
            guard let part = replica.parts.first(where: { $0.place == place }), let whole = json["state"]?[state.name]
            else { continue }
            var shown = JSON.Object()
            let hidden = part.privateParts
            switch state.form {
            case .value(_, let initial):
                shown["value"] = withoutPrivate(whole["value"] ?? [:])
                if let initial = hidden.removed(from: initial) { shown["initial"] = initial }
            case .table(let table):
                shown["table"] = [
                    "key": whole["table"]?["key"] ?? [:], "row": withoutPrivate(whole["table"]?["row"] ?? [:]),
                ]
                if part.isPartial {
                    shown["partial"] = true
                } else if table.initial.count > 0 {
                    var rows = JSON.Object()
                    for row in table.initial { rows[row.key] = hidden.removed(from: row.value) ?? [:] }
                    shown["initial"] = .object(rows)
                }
                var open = JSON.Object()
                for index in parts.indexes where index.table == place {
                    guard case .object(var written)? = whole["indexes"]?[index.index.name] else { continue }
                    written["sort"] = written["sort"].map(Self.plainOrder)
                    open[index.index.name] = .object(written)
                }
                if open.count > 0 { shown["indexes"] = .object(open) }
            }
            all[state.name] = .object(shown)
        }
        return all
    }

    /// The definitions that some parts use, also through others.
    private func definitions(usedBy parts: [JSON]) -> JSON.Object {
        var known: Set<String> = []
        var waiting = parts
        let names = document.definitions.map(\.name)
        while let part = waiting.popLast() {
            for name in names where !known.contains(name) && FaultyParts.mentions(part, [name]) {
                known.insert(name)
                if let definition = json["define"]?[name] { waiting.append(definition) }
            }
        }
        var used = JSON.Object()
        for name in names where known.contains(name) {
            if case .object(var definition)? = json["define"]?[name] {
                if let parameters = definition["of"] { definition["of"] = withoutPrivate(parameters) }
                used[name] = .object(definition)
            }
        }
        return used
    }

    /// The types that some parts use, also through others; nil for none.
    private func types(usedBy parts: [JSON]) -> JSON? {
        guard case .object(let types)? = json["types"] else { return nil }
        var known: Set<String> = []
        var waiting = parts
        while let part = waiting.popLast() {
            for type in types where !known.contains(type.key) && Self.refers(part, to: type.key) {
                known.insert(type.key)
                waiting.append(withoutPrivate(type.value))
            }
        }
        var used = JSON.Object()
        for type in types where known.contains(type.key) { used[type.key] = withoutPrivate(type.value) }
        return used.count > 0 ? .object(used) : nil
    }

    private static func refers(_ json: JSON, to type: String) -> Bool {
        switch json {
        case .object(let object):
            object["$ref"] == .string("#/types/\(type)") || object.contains { refers($0.value, to: type) }
        case .array(let elements): elements.contains { refers($0, to: type) }
        default: false
        }
    }

    /// Returns a schema that says of a private part only that it is private.
    private func withoutPrivate(_ schema: JSON) -> JSON {
        switch schema {
        case .object(let object):
            if object["private"] == true { return ["private": true] }
            var shown = JSON.Object()
            for member in object { shown[member.key] = withoutPrivate(member.value) }
            if case .object(let properties)? = object["properties"], let whole = object["default"] {
                // The default of the whole may have values of its private members.
                let hidden = PrivateParts(
                    members: Dictionary(
                        properties.map { ($0.key, PrivateParts(PrivateParts.places(in: $0.value))) },
                        uniquingKeysWith: { first, _ in first }))
                shown["default"] = hidden.removed(from: whole) ?? [:]
            }
            return .object(shown)
        case .array(let elements): return .array(elements.map { withoutPrivate($0) })
        default: return schema
        }
    }
}
