import JSON

/// A row of a table that is erased: from the state, and from all that the journal has of it.
package struct ErasedRow: Hashable, Sendable {
    /// The table, as clients see it: `board.cards`.
    package let table: String
    /// The key.
    package let key: String

    /// A row.
    package init(table: String, key: String) {
        (self.table, self.key) = (table, key)
    }

    /// The name of the action whose commits erase.
    package static let action = "space/erase"

    /// Returns true if a variable, by its name in facts, is the table, or the table of an earlier feature of this name.
    package func isOf(_ variable: String) -> Bool {
        variable.utf8.starts(with: table.utf8) && CodeUnits(Fact.publicName(variable)) == CodeUnits(table)
    }

    /// Returns a fact without the row; nil if the fact does not have it. The removal of the row is such a fact too: it
    /// stays as it is.
    package func without(_ fact: Fact) -> Fact? {
        guard isOf(fact.variable) else { return nil }
        if let entry = fact.entry {
            return CodeUnits(entry) == CodeUnits(key) ? Fact(variable: fact.variable, entry: entry, value: nil) : nil
        }
        guard let value = fact.value, let rest = without(whole: value) else { return nil }
        return Fact(variable: fact.variable, value: rest)
    }

    /// Returns the rows of a whole table without the row; nil if they do not have it.
    package func without(whole value: [UInt8]) -> [UInt8]? {
        do throws(JSONError) {
            guard case .object(let object) = try JSON(parsing: value, depth: JSONReader.greatestDepthLimit),
                object.contains(where: { CodeUnits($0.key) == CodeUnits(key) })
            else { return nil }
            var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
            writer.object { writer in
                for member in object where CodeUnits(member.key) != CodeUnits(key) {
                    writer.field(member.key, member.value)
                }
            }
            return try writer.finish()
        } catch {
            // A value that is not JSON is damage, which reading it reports.
            return nil
        }
    }

    /// Returns a commit without the row: with its removal in place of its value, and without the input, of which the
    /// value is a part as a rule. Nil if the commit does not have the row.
    package func without(_ record: CommitRecord) -> CommitRecord? {
        guard record.action != Self.action else { return nil }
        var facts = Facts()
        var isChanged = false
        for fact in record.facts {
            let rest = without(fact)
            if rest != nil { isChanged = true }
            facts.append(rest ?? fact)
        }
        guard isChanged else { return nil }
        return record.withoutInput(Facts(facts.map { $0.withoutAnswer(ofVersions: [record.version]) ?? $0 }))
    }
}

extension CommitRecord {
    /// The rows that the commit erases.
    package var erasedRows: [ErasedRow] {
        guard erases else { return [] }
        return facts.compactMap { fact in
            guard let entry = fact.entry, fact.value == nil, !Fact.isMemory(fact.variable) else { return nil }
            return ErasedRow(table: Fact.publicName(fact.variable), key: entry)
        }
    }

    /// True if the commit erases rows.
    package var erases: Bool { action == ErasedRow.action }

    /// The place of an input that is withheld as a whole.
    package static let wholeInput = "/input"

    /// True if the input is gone with an erased row.
    package var hasNoInput: Bool { withheld.contains(Self.wholeInput) && input?.elementsEqual("null".utf8) ?? false }

    /// Returns the commit with other facts, and with null as its input.
    fileprivate func withoutInput(_ facts: Facts) -> CommitRecord {
        CommitRecord(
            space: space, version: version, at: at, action: action, input: Array("null".utf8), facts: facts,
            idempotency: idempotency, leavesWork: leavesWork, common: common, by: by, alarm: alarm,
            withheld: withheld.contains(Self.wholeInput) ? withheld : withheld + [Self.wholeInput])
    }
}
