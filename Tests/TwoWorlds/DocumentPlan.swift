import JSON

/// The rules of a document.
enum Posture: Sendable {
    /// None that shuts eva out.
    case open
    /// Some views and actions have rules.
    case ruled
    /// The feature has a rule.
    case closed
    /// The second edition gives the feature a rule, and the first edition gave it one.
    case laterClosed, formerlyClosed

    /// True if the feature has a rule in an edition.
    func isClosed(in edition: Int) -> Bool {
        switch self {
        case .open, .ruled: false
        case .closed: true
        case .laterClosed: edition == 2
        case .formerlyClosed: edition == 1
        }
    }

    /// True if raw state is shown to administrators only.
    var hasRules: Bool { self != .open }
}

/// A view of a document.
struct ViewPlan: Sendable {
    let name: String
    /// The view without its rule.
    var content: JSON.Object
    /// True if the view has a rule of its own that shuts eva out.
    var isGuarded = false
    /// True if the rules of others shut eva out: those of a view, of a feature that is given, of a source.
    var isShut = false
    /// The query that a reader gives it.
    var query = ""
    /// True if it is a list with windows.
    var isList = false
    /// True if a definition can have it as its source.
    var isSource = true
    /// True if each write of a secret gives it another value.
    var changesAlways = false
}

/// An action of a document.
struct ActionPlan: Sendable {
    let name: String
    /// The state that it writes; nil for none that matters.
    let state: StatePlan?
    let isForEva: Bool
    let content: JSON.Object
    /// The form of its input.
    let input: InputForm

    enum InputForm: Sendable {
        case nothing, row, key, value
    }
}

/// A document of a feature, in one or two editions.
struct DocumentPlan: Sendable {
    let name: String
    let isCommon: Bool
    let posture: Posture
    /// The features that it is given.
    let given: [String]
    let states: [StatePlan]
    var views: [ViewPlan]
    let actions: [ActionPlan]
    /// The rule that lets mia in.
    let rule: String
    /// The text of a rule that differs between the worlds; empty for none.
    let secretRule: String
    let hasSchedules: Bool
    /// True if a table has the rows of present clients.
    let hasPresence: Bool
    /// The initial values of variables, as JSON with markers.
    let initial: [String: JSON]

    /// True if it has a second edition.
    var hasEditions: Bool {
        posture == .laterClosed || posture == .formerlyClosed
            || states.contains { $0.members.contains { [.laterPrivate, .formerlyPrivate].contains($0.secrecy) } }
    }

    var tables: [StatePlan] { states.filter(\.isTable) }
    var variables: [StatePlan] { states.filter { !$0.isTable } }

    /// Returns the document, with markers.
    func json(edition: Int) -> JSON {
        var document = JSON.Object()
        document["feature"] = .string(name)
        document["home"] = isCommon ? "common" : "space"
        if !given.isEmpty { document["given"] = .array(given.map { .string($0) }) }
        var (types, state) = (JSON.Object(), JSON.Object())
        for plan in states {
            types[plan.typeName] = plan.schema(in: edition)
            let type: JSON = ["$ref": .string("#/types/\(plan.typeName)")]
            state[plan.name] =
                plan.isTable
                ? ["table": ["key": ["type": "string"], "row": type]]
                : ["value": type, "initial": initial[plan.name] ?? plan.value { $0.form.initial }]
        }
        state["ticks"] = ["value": ["type": "integer"], "initial": 0]
        if hasPresence {
            let row: JSON = [
                "type": "object",
                "properties": [
                    "mood": ["type": "string", "private": true, "default": ""],
                    "seat": ["type": "integer", "default": 0],
                ],
            ]
            state["here"] = [
                "table": ["key": ["type": "string"], "row": row], "kept": false, "presence": true, "grace": 5,
            ]
        }
        document["types"] = .object(types)
        document["state"] = .object(state)
        document["actions"] = actionMembers
        var members = JSON.Object()
        for view in views {
            var content = view.content
            if view.isGuarded { content["allow"] = .string(rule) }
            members[view.name] = .object(content)
        }
        if hasPresence { members["here"] = ["from": "here"] }
        document["views"] = .object(members)
        if hasSchedules {
            document["schedules"] = [
                "beat": ["every": 60, "exact": true, "act": "tick"],
                "fault": ["every": 90, "exact": true, "act": "fail"],
            ]
        }
        var allow = JSON.Object()
        if posture.isClosed(in: edition) { allow["read"] = .string(rule) }
        allow["act"] = .string(
            secretRule.isEmpty ? "token.sub != ''" : "token.sub != '' && token.sub != '\(secretRule)'")
        document["allow"] = .object(allow)
        return .object(document)
    }

    private var actionMembers: JSON {
        var members = JSON.Object()
        for action in actions {
            var content = action.content
            if !action.isForEva { content["allow"] = .string(rule) }
            members[action.name] = .object(content)
        }
        return .object(members)
    }
}
