import JSON
import ServiceInProcess

/// A writer of random documents. It never shows a secret in a view that eva may read: an expression that names a secret
/// gets a rule, or derives from something that has one.
struct DocumentWriter {
    private static let rules = [
        "token.sub == 'mia'", "token.sub in ['mia', 'zoe']", "'staff' in token.groups", "token.level == 5",
        "token.badge == 'gold'", "size(token.team) > 3", "!(token.sub in ['eva', 'root'])",
    ]
    static let keys = ["k1", "k2", "e1"]

    private var entropy: Entropy
    private let hazards: Hazards
    /// The documents that are there, which another one can be given.
    private(set) var documents: [DocumentPlan] = []

    init(_ entropy: Entropy, _ hazards: Hazards) {
        self.entropy = entropy
        self.hazards = hazards
    }

    /// A state that a view can read.
    private struct Readable {
        let plan: StatePlan
        /// The expression of its value, and its name in `from`.
        let expression: String
        let name: String
        /// True if the rules of its feature hold for all that reads it.
        let isClosed: Bool
    }

    // MARK: Documents

    /// Adds a document.
    mutating func add(_ name: String, isCommon: Bool, secretRule: String, initial: (MemberPlan) -> JSON) {
        let posture = self.posture()
        let states = self.states(posture)
        let others = (isCommon ? [] : DocumentPlan.inSwift) + documents.reversed()
        let given = others.filter { ($0.isCommon || !isCommon) && entropy.isOne(in: 2) }.prefix(2)
        var values: [String: JSON] = [:]
        for plan in states where !plan.isTable { values[plan.name] = plan.value(initial) }
        var rule = entropy.one(of: Self.rules)
        // A rule can read a secret, and fail in one world.
        let secret = states.first { !$0.isTable && $0.members.contains { $0.secrecy == .isPrivate } }
        if let secret, let member = secret.members.first(where: { $0.secrecy == .isPrivate }), entropy.isOne(in: 3) {
            let value = member.expression(of: secret.expression)
            let condition =
                switch member.form {
                case .word: "\(value) == 'never'"
                case .numeral: "int(\(value)) < 0"
                case .integer: "1 / \(value) > 7"
                case .list: "\(value)[9] == 0"
                }
            rule += " || \(condition)"
        }
        var document = DocumentPlan(
            name: name, isCommon: isCommon, posture: posture, given: given.map(\.name), states: states, views: [],
            actions: actions(name, posture, states), rule: rule, secretRule: secretRule,
            hasSchedules: entropy.isOne(in: 3), hasPresence: !isCommon && entropy.isOne(in: 3), initial: values)
        document.views = views(of: document, given: Array(given))
        documents.append(document)
    }

    private mutating func posture() -> Posture {
        var choices: [Posture] = [.open, .open, .ruled, .ruled, .closed]
        if hazards.contains(.laterClosed) { choices.append(.laterClosed) }
        if hazards.contains(.formerlyClosed) { choices.append(.formerlyClosed) }
        return entropy.one(of: choices)
    }

    private mutating func states(_ posture: Posture) -> [StatePlan] {
        var states: [StatePlan] = []
        for name in ["cards", "notes"].prefix(1 + entropy.below(2)) {
            var members = [
                MemberPlan(path: ["owner"], form: .word, secrecy: .open),
                MemberPlan(path: ["title"], form: .word, secrecy: .open),
            ]
            for name in ["size", "pin", "mark"] where entropy.isOne(in: 2) || name == "pin" {
                members.append(member([name], posture))
            }
            if entropy.isOne(in: 2) {
                members.append(member(["deep", "open"], posture, .open))
                members.append(member(["deep", "inner", "code"], posture))
            }
            states.append(StatePlan(name: name, isTable: true, members: members))
        }
        for name in ["word", "code", "box"] where name == "code" || entropy.isOne(in: 2) {
            let members =
                name == "box"
                ? [member(["plain"], posture, .open), member(["lid", "key"], posture)]
                : [member([], posture, name == "word" ? .open : nil)]
            states.append(StatePlan(name: name, isTable: false, members: members))
        }
        return states
    }

    private mutating func member(_ path: [String], _ posture: Posture, _ secrecy: Secrecy? = nil) -> MemberPlan {
        var choices: [Secrecy] = [.isPrivate, .isPrivate]
        if posture == .ruled { choices += [.guarded, .guarded] }
        if posture != .ruled { choices.append(.open) }
        if hazards.contains(.laterPrivate) { choices.append(.laterPrivate) }
        if hazards.contains(.formerlyPrivate) { choices.append(.formerlyPrivate) }
        return MemberPlan(
            path: path, form: entropy.one(of: MemberForm.allCases), secrecy: secrecy ?? entropy.one(of: choices))
    }

    // MARK: Actions

    /// The actions that write each state. Eva may perform those that write nothing which a rule guards.
    private mutating func actions(_ name: String, _ posture: Posture, _ states: [StatePlan]) -> [ActionPlan] {
        var actions: [ActionPlan] = []
        let privates = states.filter { !$0.isTable }.flatMap { plan in
            plan.members.filter { $0.secrecy == .isPrivate }.map { $0.expression(of: plan.expression) }
        }
        for plan in states {
            let isForEva = posture == .open && !plan.hasGuarded
            let type: JSON = ["$ref": .string("#/types/\(plan.typeName)")]
            guard plan.isTable else {
                actions.append(
                    ActionPlan(
                        name: "set\(plan.typeName)", state: plan, isForEva: isForEva,
                        content: Self.members([
                            "input": Self.input(["value": type]),
                            "do": [["set": .string(plan.name), "to": "input.value"]],
                        ]), input: .value))
                continue
            }
            let input = Self.input(["id": ["type": "string"], "row": type])
            let put: JSON = [["put": .string(plan.name), "key": "input.id", "row": "input.row"]]
            var content = Self.members(["input": input, "do": put])
            if entropy.isOne(in: 2) { content["answer"] = .string("\(plan.expression)[input.id]") }
            actions.append(
                ActionPlan(
                    name: "put\(plan.typeName)", state: plan, isForEva: isForEva, content: content, input: .row))
            // A refusal whose words have private members, which are null there.
            let shown =
                plan.members.filter { $0.secrecy == .isPrivate }.map {
                    $0.expression(of: "\(plan.expression)[input.id]")
                } + privates
            let braces = shown.prefix(3).map { "{\($0)}" }.joined(separator: " ")
            let words = "{input.id} is there: \(braces)"
            var both = Self.members([
                "input": input,
                "require": [
                    [
                        "that": .string("!(input.id in \(plan.expression))"),
                        "else": ["status": 409, "detail": .string(words), "pointer": "/id"],
                    ]
                ], "do": put,
            ])
            if entropy.isOne(in: 2), let first = shown.first {
                both["let"] = [["name": "both", "is": .string("[\(first)]")]]
                both["require"] = [
                    [
                        "that": .string("!(input.id in \(plan.expression))"),
                        "else": ["status": 422, "detail": .string(words + " {both}")],
                    ]
                ]
            }
            actions.append(
                ActionPlan(name: "add\(plan.typeName)", state: plan, isForEva: isForEva, content: both, input: .row))
            actions.append(
                ActionPlan(
                    name: "drop\(plan.typeName)", state: plan, isForEva: isForEva,
                    content: Self.members([
                        "input": Self.input(["id": ["type": "string"]]),
                        "do": [["remove": .string(plan.name), "key": "input.id"]],
                    ]), input: .key))
        }
        actions.append(
            ActionPlan(
                name: "tick", state: nil, isForEva: true,
                content: Self.members(["do": [["set": "ticks", "to": "state.ticks + 1"]]]), input: .nothing))
        let fault = privates.map { "{\($0)}" }.joined(separator: " ")
        actions.append(
            ActionPlan(
                name: "fail", state: nil, isForEva: true,
                content: Self.members([
                    "require": [["that": "false", "else": ["status": 409, "detail": .string("never \(fault)")]]],
                    "do": [["set": "ticks", "to": "state.ticks + 1"]],
                ]), input: .nothing))
        return actions
    }

    private static func input(_ properties: JSON) -> JSON {
        var names: [JSON] = []
        if case .object(let members) = properties { names = members.map { .string($0.key) } }
        return ["type": "object", "properties": properties, "required": .array(names)]
    }

    static func members(_ json: JSON) -> JSON.Object {
        if case .object(let members) = json { members } else { JSON.Object() }
    }

    // MARK: Views

    private mutating func views(of document: DocumentPlan, given: [DocumentPlan]) -> [ViewPlan] {
        var readable = document.states.map {
            Readable(plan: $0, expression: $0.expression, name: $0.name, isClosed: false)
        }
        for other in given {
            readable += other.states.map {
                Readable(
                    plan: $0, expression: "given.\(other.name).\($0.name)", name: "\(other.name).\($0.name)",
                    isClosed: other.posture == .closed || other.posture == .laterClosed)
            }
        }
        var views = [
            ViewPlan(name: "ticks", content: Self.members(["expression": "state.ticks"]), changesAlways: true)
        ]
        for index in 0..<5 + entropy.below(4) {
            let made =
                switch entropy.below(12) {
                case 0...3: expression(over: readable)
                case 4...7: list(over: readable)
                case 8: derived(from: views)
                case 9: mine(document, readable)
                default: pipeline(document, views, given)
                }
            guard var view = made?.named("v\(index)") else { continue }
            if [.closed, .laterClosed].contains(document.posture) { view.isShut = true }
            views.append(view)
        }
        return views
    }

    private mutating func expression(over readable: [Readable]) -> ViewPlan? {
        let state = entropy.one(of: readable)
        var plan = ViewPlan(name: "", content: JSON.Object(), isShut: state.isClosed)
        guard !entropy.isOne(in: 3) else {
            // The whole value, whose private members are null. A private variable is shown by its name.
            plan.isGuarded =
                state.plan.hasGuarded || state.plan.members.contains { $0.path.isEmpty && $0.secrecy != .open }
            if state.plan.isTable, entropy.isOne(in: 2) {
                let key = entropy.one(of: Self.keys)
                plan.content["expression"] = .string(
                    "'\(key)' in \(state.expression) ? \(state.expression)['\(key)'] : null")
            } else {
                plan.content["expression"] = .string(state.expression)
            }
            if plan.isGuarded || entropy.isOne(in: 4) {
                plan.isGuarded = true
                plan.content["private"] = true
                plan.changesAlways = true
            }
            return plan
        }
        let member = entropy.one(of: state.plan.members)
        let choice = entropy.below(4)
        plan.isGuarded = member.secrecy != .open
        guard state.plan.isTable else {
            plan.changesAlways = choice == 0
            let value = member.expression(of: state.expression)
            plan.content["expression"] = .string(member.form.expressions(of: value)[choice])
            return plan
        }
        if entropy.isOne(in: 2) {
            let value = member.form.expressions(of: member.expression(of: "\(state.expression)[input.id]"))[choice]
            plan.content["parameters"] = ["id": ["type": "string"]]
            plan.content["expression"] = .string("input.id in \(state.expression) ? \(value) : null")
            plan.query = "id=k1"
            return plan
        }
        let key = entropy.one(of: Self.keys)
        let one = member.form.expressions(of: member.expression(of: "\(state.expression)['\(key)']"))[choice]
        let all = member.expression(of: "\(state.expression)[k]")
        plan.content["expression"] = .string(
            entropy.isOne(in: 2)
                ? "'\(key)' in \(state.expression) ? \(one) : null" : "\(state.expression).map(k, \(all))")
        return plan
    }

    private mutating func list(over readable: [Readable]) -> ViewPlan? {
        let tables = readable.filter(\.plan.isTable)
        let state = entropy.one(of: tables)
        let member = entropy.one(of: state.plan.members)
        let value = member.expression(of: "row")
        var plan = ViewPlan(name: "", content: JSON.Object(), isShut: state.isClosed)
        plan.content["from"] = .string(state.name)
        plan.isGuarded = member.secrecy != .open
        plan.isList = true
        let expressions = member.form.expressions(of: value)
        switch entropy.below(8) {
        case 0, 1:
            // Whole rows, whose private members are null.
            plan.isGuarded = state.plan.hasGuarded
            if entropy.isOne(in: 3) {
                plan.content["private"] = true
                plan.isGuarded = true
            }
        case 2: plan.content["select"] = .string("{'key': key, 'shown': \(entropy.one(of: expressions))}")
        case 3:
            plan.content["where"] = .string(Self.condition(member, value))
            plan.content["select"] = "{'key': key, 'title': row.title}"
        case 4:
            plan.content["sort"] = .string(member.form == .list ? "-size(\(value))" : "-\(value)")
            plan.content["limit"] = 2
            plan.content["select"] = "key"
        case 5:
            plan.content["count"] = true
            if member.form != .list { plan.content["by"] = .string(value) }
            plan.isGuarded = plan.isGuarded && member.form != .list
            plan.isList = false
        case 6:
            plan.isList = false
            plan.content[entropy.one(of: ["sum", "min", "max", "average"])] = .string(
                member.form == .integer ? value : "size(\(value))")
            if member.form == .numeral { plan.content = Self.members(["from": .string(state.name), "max": "1"]) }
        default:
            guard let other = tables.first(where: { $0.name != state.name }) else {
                plan.content["select"] = .string(value)
                break
            }
            let joined = "joined.\(other.name.split(separator: ".").last ?? "")"
            plan.content["join"] = .object(Self.members([:]).adding(other.name, "'k1'"))
            plan.content["select"] = .string("{'mine': \(value), 'other': \(joined) == null ? '' : \(joined).title}")
            plan.isShut = plan.isShut || other.isClosed
        }
        return plan
    }

    private static func condition(_ member: MemberPlan, _ value: String) -> String {
        switch member.form {
        case .word: "\(value) > 'sm'"
        case .numeral: "int(\(value)) > 5000"
        case .integer: "\(value) > 500"
        case .list: "size(\(value)) > 1"
        }
    }

    private mutating func derived(from views: [ViewPlan]) -> ViewPlan? {
        let plain = views.filter { $0.query.isEmpty && $0.isSource && $0.content["source"] == nil }
        let chosen = [entropy.one(of: plain), entropy.one(of: plain)]
        var plan = ViewPlan(name: "", content: JSON.Object())
        plan.content["expression"] = .string("[\(chosen.map { "views.\($0.name)" }.joined(separator: ", "))]")
        plan.isShut = chosen.contains { $0.isGuarded || $0.isShut }
        return plan
    }

    /// A personal view of rows whose owner is the caller.
    private mutating func mine(_ document: DocumentPlan, _ readable: [Readable]) -> ViewPlan? {
        let state = entropy.one(of: readable.filter(\.plan.isTable))
        var plan = ViewPlan(name: "", content: JSON.Object(), isShut: state.isClosed, isList: true, isSource: false)
        plan.content["from"] = .string(state.name)
        plan.content["where"] = "row.owner == token.sub"
        plan.content["select"] = "{'key': key, 'title': row.title}"
        return plan
    }

    private mutating func pipeline(
        _ document: DocumentPlan, _ views: [ViewPlan], _ given: [DocumentPlan]
    ) -> ViewPlan? {
        var plan = ViewPlan(name: "", content: JSON.Object(), isSource: true)
        if entropy.isOne(in: 2) {
            let writes = document.actions.filter { $0.state != nil }
            let action = entropy.one(of: writes)
            plan.isGuarded = document.posture == .ruled
            let shown = entropy.one(of: [
                "change.input", "change", "{'input': change.input, 'action': change.action}",
                action.input == .value ? "change.version" : "change.input.id",
            ])
            plan.content["source"] = [
                "fold": [
                    "over": ["changes": [.string("\(document.name)/\(action.name)")]], "initialValue": [],
                    "expression": .string("accumulated + [\(shown)]"),
                ]
            ]
            return plan
        }
        let own = views.filter { $0.isSource && $0.query.isEmpty }.map { (document.name, $0) }
        let others = given.flatMap { other in
            other.views.filter { $0.isSource && $0.query.isEmpty }.map { (other.name, $0) }
        }
        let (feature, source) = entropy.one(of: own + others)
        let first: JSON = ["view": .string("\(feature).\(source.name)")]
        let (otherFeature, other) = entropy.one(of: own)
        let isJoined = entropy.isOne(in: 3)
        plan.content["source"] =
            isJoined
            ? .object(
                Self.members([:]).adding(
                    entropy.one(of: ["merge", "combineLatest", "zip"]),
                    [first, ["view": .string("\(otherFeature).\(other.name)")]])) : first
        plan.isShut = source.isGuarded || source.isShut || isJoined && (other.isGuarded || other.isShut)
        let isTimed = entropy.isOne(in: 4) && !plan.isShut
        plan.content["operators"] = .array(operators(isTimed: isTimed, isRun: false))
        return plan
    }

    // MARK: Operators

    /// Returns operators of a pipeline, or of a stream.
    mutating func operators(isTimed: Bool, isRun: Bool) -> [JSON] {
        var choices: [JSON] = [
            ["scan": ["initialValue": [], "expression": "accumulated + [value]"]],
            ["scan": ["initialValue": 0, "expression": "accumulated + 1"]],
            ["map": ["expression": "[value]"]], ["map": ["expression": "{'v': value}"]],
            ["filter": ["expression": "value != null"]], ["filter": ["expression": "string(value) > 'sm'"]],
            ["removeDuplicates": [:]], ["map": ["expression": "int(value) + 1"]],
            ["map": ["expression": "value.nothing"]], ["dropFirst": ["count": 1]], ["collect": ["count": 2]],
            ["prefix": ["count": 3]], ["count": [:]],
        ]
        if isTimed {
            choices = [
                ["debounce": ["seconds": 2]], ["throttle": ["seconds": 2, "latest": true]],
                ["delay": ["seconds": 1]],
            ]
        }
        if isRun { choices += [["last": [:]], ["share": [:]], ["retry": ["count": 1]]] }
        return (0..<entropy.below(3)).map { _ in entropy.one(of: choices) }
    }
}

extension ViewPlan {
    /// Returns the view with a name.
    fileprivate func named(_ name: String) -> ViewPlan {
        ViewPlan(
            name: name, content: content, isGuarded: isGuarded, isShut: isShut, query: query, isList: isList,
            isSource: isSource, changesAlways: changesAlways)
    }
}

extension JSON.Object {
    /// Returns the object with one more member.
    func adding(_ name: String, _ value: JSON) -> JSON.Object {
        var object = self
        object[name] = value
        return object
    }
}
