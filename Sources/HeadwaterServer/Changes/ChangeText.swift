import Ground
import JSON
import StateStore

/// A commit as the change feed tells it.
enum ChangeText {
    /// The part of a commit that a reader learns.
    enum Audience {
        case all
        /// All but memory, which may come from views with rules.
        case withoutMemory
        /// `version`, `at` and `action`.
        case head

        /// The part that a reader with or without the right `admin` in the space learns. Without it that is only the head,
        /// if the commits of a feature that has part in the commit are hidden.
        init(of record: CommitRecord, _ registry: Registry, isAdmin: Bool) {
            // The features that are always hidden are in `common`.
            guard !isAdmin, registry.hidesCommits || record.space == .common else {
                self = .all
                return
            }
            if record.hasPart(ofFeature: registry.hidesCommits(of:)) {
                self = .head
            } else {
                self = registry.hidesCommits ? .withoutMemory : .all
            }
        }
    }

    /// `version`, `common`, `at`, `by`, `action`, `input`, `changed`, `partial` if something changed by entry, `memory`
    /// and `partialMemory` likewise if memory changed, `withheld` if a part is private. In a list of several spaces,
    /// `space` and `cursor` precede. A reader can learn less than all. No reader learns what `registry` makes private.
    static func append(
        _ record: CommitRecord, _ registry: Registry, cursor: String? = nil, showing audience: Audience = .all,
        to bytes: inout [UInt8]
    ) {
        let shown = registry.shown(record)
        let facts = shown?.facts ?? record.facts
        var writer = JSONWriter(appendingTo: [])
        writer.object { writer in
            if let cursor {
                writer.field("space", record.space.description)
                writer.field("cursor", cursor)
            }
            writer.field("version", record.version)
            if audience == .head {
                writer.field("at", RFC3339.text(microseconds: record.at.microseconds))
                writer.field("action", record.action)
                return
            }
            writer.field("common", record.common)
            writer.field("at", RFC3339.text(microseconds: record.at.microseconds))
            writer.field("by") { writer in writer.object { $0.field("sub", record.by) } }
            writer.field("action", record.action)
            writer.field("input", written: (shown?.input ?? record.input) ?? Array("{}".utf8))
            let changed = Selection(of: facts, isMemory: false)
            writer.field("changed") { writer in writer.object { changed.write(to: &$0) } }
            if !changed.partial.isEmpty { writer.field("partial", changed.partial) }
            let memory = Selection(of: facts, isMemory: true)
            let showsMemory = !memory.facts.isEmpty && audience == .all
            if showsMemory {
                writer.field("memory") { writer in writer.object { memory.write(to: &$0) } }
                if !memory.partial.isEmpty { writer.field("partialMemory", memory.partial) }
            }
            let withheld = shown?.withheld.filter { showsMemory || $0.tokens.first != "memory" } ?? []
            if !withheld.isEmpty { writer.field("withheld", withheld.map(\.description)) }
        }
        do {
            bytes.append(contentsOf: try writer.finish())
        } catch {
            preconditionFailure("a commit that is kept cannot be written: \(error)")
        }
    }

    /// The row of a deleted space in a list of several spaces.
    static func append(forgotten space: SpaceName, cursor: String, to bytes: inout [UInt8]) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("space", space.description)
            writer.field("cursor", cursor)
            writer.field("forgotten", true)
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
