import Ground
import JSON
import StateStore

/// A commit as the change feed tells it.
enum ChangeText {
    /// `version`, `common`, `at`, `by`, `action`, `client` and `n` if it was in a queue of the reader, `input`, `changed`, `partial` if something changed by entry, `memory`
    /// and `partialMemory` likewise if memory changed, `withheld` if a part is private; of a commit whose reader learns
    /// the head only, `version`, `at` and `action`. In a list of several spaces, `space` and `cursor` precede.
    ///
    /// With `performed`, `action` and `input` are those of one of several actions.
    static func append(
        _ commit: ShownCommit, cursor: String? = nil, only performed: PerformedAction? = nil, to bytes: inout [UInt8]
    ) {
        let (head, facts) = (commit.head, commit.facts)
        let action = performed?.name ?? head.action
        var writer = JSONWriter(appendingTo: [])
        writer.object { writer in
            if let cursor {
                writer.field("space", commit.space.description)
                writer.field("cursor", cursor)
            }
            writer.field("version", head.version)
            if commit.part == .head {
                writer.field("at", RFC3339.text(microseconds: head.at.microseconds))
                writer.field("action", action)
                write(commit.queueMark, to: &writer)
                return
            }
            writer.field("common", head.common)
            writer.field("at", RFC3339.text(microseconds: head.at.microseconds))
            writer.field("by") { writer in writer.object { $0.field("sub", head.by) } }
            writer.field("action", action)
            write(commit.queueMark, to: &writer)
            writer.field("input", written: input(of: commit, performed) ?? Array("{}".utf8))
            let changed = Selection(of: facts, isMemory: false)
            writer.field("changed") { writer in writer.object { changed.write(to: &$0) } }
            if !changed.partial.isEmpty { writer.field("partial", changed.partial) }
            let memory = Selection(of: facts, isMemory: true)
            let showsMemory = !memory.facts.isEmpty && commit.part == .all
            if showsMemory {
                writer.field("memory") { writer in writer.object { memory.write(to: &$0) } }
                if !memory.partial.isEmpty { writer.field("partialMemory", memory.partial) }
            }
            let withheld = withheld(of: commit, performed)
            if !withheld.isEmpty { writer.field("withheld", withheld.map(\.description)) }
        }
        do {
            bytes.append(contentsOf: try writer.finish())
        } catch {
            preconditionFailure("a commit that is kept cannot be written: \(error)")
        }
    }

    /// The input of a commit as its reader sees it, or that of one of its actions.
    private static func input(of commit: ShownCommit, _ performed: PerformedAction?) -> [UInt8]? {
        guard let performed else { return commit.input }
        return PerformedAction.all(of: PerformedAction.several, commit.input).first { $0.place == performed.place }?
            .input
    }

    /// The places in the text that are withheld from its reader.
    private static func withheld(of commit: ShownCommit, _ performed: PerformedAction?) -> [JSONPointer] {
        guard let performed else { return commit.withheld }
        return commit.withheld.compactMap { pointer in
            if pointer.tokens.first != "input" { return pointer }
            if performed.place.starts(with: pointer.tokens) { return JSONPointer(["input"]) }
            guard pointer.tokens.starts(with: performed.place) else { return nil }
            return JSONPointer(["input"] + pointer.tokens.dropFirst(performed.place.count))
        }
    }

    private static func write(_ mark: QueueMark?, to writer: inout JSONWriter) {
        guard let mark else { return }
        writer.field("client", mark.client)
        writer.field("n", mark.number)
    }

    /// The row of a deleted space, or of damaged commits, in a list of several spaces.
    static func append(_ event: StaticString, _ space: SpaceName, cursor: String, to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("space", space.description)
            writer.field("cursor", cursor)
            writer.field(event.description, true)
        }
        bytes += writer.bytes
    }

    /// The facts of a commit that are memory, or those that are not.
    private struct Selection {
        let facts: [Fact]
        /// The variables that changed by entry.
        private(set) var partial: [String] = []

        init(of all: Facts, isMemory: Bool) {
            facts = all.filter {
                Fact.isMemory($0.variable) == isMemory && !Fact.isLevel($0.variable)
            }
            for fact in facts where fact.entry != nil && partial.last != Self.name(fact) {
                partial.append(Self.name(fact))
            }
        }

        /// The name that clients see. Memory has the name of the view that remembers.
        private static func name(_ fact: Fact) -> String {
            Fact.isMemory(fact.variable) ? String(fact.variable.dropFirst()) : Fact.publicName(fact.variable)
        }

        /// Writes each variable with its new value, or with its changed entries.
        func write(to writer: inout JSONWriter) {
            var rest = facts[...]
            while let first = rest.first {
                let facts = rest.prefix { $0.variable == first.variable }
                rest = rest.dropFirst(facts.count)
                guard first.entry != nil else {
                    for fact in facts { writer.field(Self.name(fact), written: fact.value ?? ChangeText.null) }
                    continue
                }
                writer.field(Self.name(first)) { writer in
                    writer.object { writer in
                        for fact in facts { writer.field(fact.entry ?? "", written: fact.value ?? ChangeText.null) }
                    }
                }
            }
        }
    }

    private static let null = Array("null".utf8)
}
