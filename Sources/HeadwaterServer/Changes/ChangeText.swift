import Ground
import JSON
import StateStore

/// A commit as the change feed tells it.
enum ChangeText {
    /// `version`, `at`, `action`, `input`, `changed`, and `partial` where something changed by entry.
    static func append(_ record: CommitRecord, to bytes: inout [UInt8]) {
        var writer = JSONWriter(appendingTo: [])
        writer.object { writer in
            writer.field("version", record.version)
            writer.field("at", RFC3339.text(microseconds: record.at.microseconds))
            writer.field("action", record.action)
            writer.field("input", written: record.input ?? Array("{}".utf8))
            writer.field("changed") { writer in writer.object { changed(record, &$0) } }
            let partial = partial(record)
            if !partial.isEmpty { writer.field("partial", partial) }
        }
        do {
            bytes.append(contentsOf: try writer.finish())
        } catch {
            preconditionFailure("a commit that is kept cannot be written: \(error)")
        }
    }

    private static func changed(_ record: CommitRecord, _ writer: inout JSONWriter) {
        var index = 0
        while index < record.facts.count {
            let variable = record.facts[index].variable
            let end = record.facts[index...].firstIndex { $0.variable != variable } ?? record.facts.count
            let facts = record.facts[index..<end]
            index = end
            guard facts.first?.entry != nil else {
                for fact in facts { writer.field(variable, written: fact.value ?? Array("null".utf8)) }
                continue
            }
            writer.field(variable) { writer in
                writer.object { writer in
                    for fact in facts { writer.field(fact.entry ?? "", written: fact.value ?? Array("null".utf8)) }
                }
            }
        }
    }

    private static func partial(_ record: CommitRecord) -> [String] {
        var names: [String] = []
        for fact in record.facts where fact.entry != nil && names.last != fact.variable { names.append(fact.variable) }
        return names
    }
}
