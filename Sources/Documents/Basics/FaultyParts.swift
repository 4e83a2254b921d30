internal import Ground
import JSON
import StateModel

/// The parts of a document that could not be read. What refers to them is not checked, because it would have further
/// faults that are none.
struct FaultyParts {
    /// The members of a document that hold named parts.
    private static let named: Set<String> = ["state", "actions", "views", "schedules", "define"]
    /// The members that name nothing that the document refers to by itself.
    private static let nameless: Set<String> = [
        "feature", "home", "given", "types", "allow", "drops", "fixtures", "tests", "replica",
    ]

    private var names: [String: Set<String>] = [:]
    /// True if the names of all parts are known.
    private(set) var namesAreKnown = true
    /// True if the types of the state are known too, but for that of faulty parts.
    private(set) var typesAreKnown = true

    /// True if the list of given features has no fault.
    private(set) var givenIsKnown = true

    init(_ faults: [DocumentFault], of document: JSON) {
        let missing = Keywords.document.filter { document[$0] == nil }
        var types: Set<String> = []
        for tokens in faults.map(\.pointer.tokens) {
            let member = tokens.first ?? ""
            if Self.named.contains(member) || member == "types", tokens.count > 1 {
                if member == "types" { types.insert(tokens[1]) } else { names[member, default: []].insert(tokens[1]) }
            } else if Self.named.contains(member) || member.isEmpty {
                namesAreKnown = false
            } else if member == "types" {
                typesAreKnown = false
            } else if member == "given" {
                givenIsKnown = false
            } else if !Self.nameless.contains(member) {
                // An unknown member may be a missing one under another name.
                let isMissing = document["state"] == nil || Spelling.nearest(to: member, among: missing) != nil
                if isMissing { namesAreKnown = false }
            }
        }
        typesAreKnown = typesAreKnown && namesAreKnown
        addParts(of: document, mentioningTypes: types)
        if let definitions = names["define"] { addParts(of: document, mentioning: definitions) }
    }

    /// Adds the parts of a document that mention one of some types, also through other types.
    private mutating func addParts(of document: JSON, mentioningTypes faulty: Set<String>) {
        guard !faulty.isEmpty else { return }
        var known = faulty
        if case .object(let types)? = document["types"] {
            while true {
                let users = types.filter { !known.contains($0.key) && Self.mentions($0.value, known) }.map(\.key)
                guard !users.isEmpty else { break }
                known.formUnion(users)
            }
        }
        addParts(of: document, mentioning: known, in: ["state", "actions", "views", "schedules", "define"])
    }

    /// The names of the faulty parts of a member.
    func names(in member: String) -> Set<String> { names[member] ?? [] }

    func contains(_ name: String, in member: String) -> Bool { names[member]?.contains(name) ?? false }

    /// Adds the actions, views and schedules of a document that mention one of some words.
    mutating func addParts(
        of document: JSON, mentioning words: Set<String>,
        in members: [String] = ["actions", "views", "schedules", "define"]
    ) {
        let known = names["define"]
        defer {
            // The uses of a definition are no sounder than itself.
            if let new = names["define"], new != known { addParts(of: document, mentioning: new) }
        }
        for member in members {
            guard case .object(let parts)? = document[member] else { continue }
            for part in parts where Self.mentions(part.value, words) { names[member, default: []].insert(part.key) }
        }
    }

    /// Returns true if a text or a name of a member in a value has one of some words.
    static func mentions(_ json: JSON, _ words: Set<String>) -> Bool {
        switch json {
        case .string(let text): hasWord(text, words)
        case .array(let elements): elements.contains { mentions($0, words) }
        case .object(let members): members.contains { hasWord($0.key, words) || mentions($0.value, words) }
        default: false
        }
    }

    private static func hasWord(_ text: String, _ words: Set<String>) -> Bool {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { words.contains(String($0)) }
    }
}
