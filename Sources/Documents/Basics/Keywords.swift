/// The members of each part of a document, in the order of the documentation. `docs/features.md` lists them, and a
/// test compares the two.
package enum Keywords {
    /// The members of a part.
    package struct Members: Sendable {
        /// The part, as the documentation calls it.
        package let part: String
        /// The names of its members.
        package let names: [String]
    }

    static let document = [
        "$schema", "feature", "home", "given", "types", "state", "actions", "views", "schedules", "allow", "drops",
        "fixtures", "tests", "define", "replica", "hooks",
    ]
    static let replica = ["where", "of", "by"]
    static let hook = ["source", "url", "secret"]
    static let hookSource = ["changes", "view"]
    static let definition = ["of", "is", "do"]
    static let value = ["value", "initial", "migrate", "was"]
    static let table = [
        "table", "initial", "kept", "presence", "grace", "onLeave", "migrate", "was", "from", "seed", "indexes",
    ]
    static let index = ["by", "sort", "where", "unique", "search"]
    static let sortKey = ["by", "collation"]
    static let search = ["index", "for"]
    static let tableForm = ["key", "row"]
    static let tableSource = ["table", "where", "row", "key"]
    static let action = ["input", "let", "require", "do", "answer", "allow", "predict"]
    static let binding = ["name", "is"]
    static let guarding = ["that", "else"]
    static let refusal = ["status", "detail", "pointer"]
    static let steps: [(name: String, members: [String])] = [
        ("set", ["set", "to"]), ("put", ["put", "key", "row"]), ("update", ["update", "key", "with"]),
        ("remove", ["remove", "key"]), ("clear", ["clear"]), ("when", ["when", "do", "else"]),
        ("each", ["each", "as", "do"]), ("call", ["call", "with"]),
    ]
    static let expressionView = ["expression", "parameters", "allow", "private", "local", "every"]
    static let queryView = [
        "from", "join", "where", "sort", "limit", "select", "count", "sum", "min", "max", "average", "by", "parameters",
        "allow", "private", "local", "every", "search",
    ]
    static let pipelineView = ["source", "operators", "allow"]
    static let rowSchedule = ["for", "at", "act", "input"]
    static let everySchedule = ["every", "exact", "act", "input", "missed"]
    static let calendarSchedule = ["cron", "zone", "act", "input", "missed"]
    static let rules = ["read", "act", "edit"]
    static let test = ["name", "steps"]
    static let actStep = ["act", "input", "space", "token", "refused", "answer"]
    static let afterStep = ["after"]
    static let expectStep = ["expect", "space", "token"]
    static let useStep = ["use"]
    static let fixture = ["steps"]

    /// The members of all parts.
    package static let all: [Members] =
        [
            Members(part: "document", names: document), Members(part: "variable", names: value),
            Members(part: "table", names: table), Members(part: "table form", names: tableForm),
            Members(part: "from of a table", names: tableSource), Members(part: "index", names: index),
            Members(part: "element of sort", names: sortKey), Members(part: "search of a view", names: search),
            Members(part: "definition", names: definition), Members(part: "action", names: action),
            Members(part: "let", names: binding),
            Members(part: "require", names: guarding), Members(part: "else of require", names: refusal),
        ] + steps.map { Members(part: "step \($0.name)", names: $0.members) } + [
            Members(part: "view of an expression", names: expressionView),
            Members(part: "view of a table", names: queryView),
            Members(part: "view of a pipeline", names: pipelineView),
            Members(part: "schedule for rows", names: rowSchedule),
            Members(part: "schedule of a period", names: everySchedule),
            Members(part: "schedule of a calendar", names: calendarSchedule), Members(part: "allow", names: rules),
            Members(part: "hook", names: hook), Members(part: "source of a hook", names: hookSource),
            Members(part: "test", names: test), Members(part: "act step of a test", names: actStep),
            Members(part: "after step of a test", names: afterStep),
            Members(part: "expect step of a test", names: expectStep),
            Members(part: "use step of a test", names: useStep), Members(part: "fixture", names: fixture),
            Members(part: "replica", names: replica),
        ]
}
