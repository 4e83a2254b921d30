package import JSON

/// A commit as the reader of a permit sees it.
package struct ShownCommit: Sendable {
    /// The part of a commit that a reader learns.
    package enum VisiblePart: Sendable {
        case all
        /// All but memory, which may come from views with rules.
        case withoutMemory
        /// The version, the time and the action.
        case head
    }

    /// The part that the reader learns.
    package let part: VisiblePart
    /// The head of the commit.
    package var head: CommitHead { record.head }
    /// The space of the commit.
    package var space: SpaceName { record.space }
    /// The names of the changed variables; empty if the reader learns the head only.
    package var changed: [String] { part == .head ? [] : record.changed }
    private let record: CommitRecord
    private let hidden: HiddenCommit?
    /// The client and the number of the action in its queue; nil for another subject, and for other commits.
    package let queueMark: QueueMark?

    init(_ record: CommitRecord, _ part: VisiblePart, _ hidden: HiddenCommit?, _ queueMark: QueueMark?) {
        (self.record, self.part, self.hidden, self.queueMark) = (record, part, hidden, queueMark)
    }

    /// Returns true if the same is shown of the same commit.
    package func shows(asMuchAs other: ShownCommit) -> Bool { part == other.part && queueMark == other.queueMark }

    /// The input of the action, as JSON, with null in place of each private part; nil for none.
    package var input: [UInt8]? { part == .head ? nil : hidden?.input ?? record.input }
    /// The changes, with null in place of each private part, and without the first addings of rows.
    package var facts: Facts { part == .head ? Facts() : hidden?.facts ?? record.facts }
    /// A lower bound for the bytes of the input and the changes in JSON.
    package var size: Int { facts.size + (input?.count ?? 2) }
    /// The places of the private parts.
    package var withheld: [JSONPointer] { part == .head ? [] : hidden?.withheld ?? [] }
}

/// A commit with null in place of each private part, and without the first addings of rows.
struct HiddenCommit: Sendable {
    let input: [UInt8]?
    let facts: Facts
    let withheld: [JSONPointer]

    /// Hides the private parts of a commit, which are at some places. `isTable` returns false of a variable that is no
    /// table.
    fileprivate init(_ record: CommitRecord, _ places: [String], _ isTable: (String) -> Bool) {
        let parts = PrivateParts(places.compactMap { JSONPointer(text: $0)?.tokens })
        var withheld: [[String]] = []
        input = record.input.map { Self.hide($0, parts["input"], at: ["input"], &withheld) }
        var facts = Facts()
        for stored in record.facts {
            let fact = isTable(stored.variable) ? stored.withoutAddings : stored
            let place = Self.place(of: fact)
            let own = place.reduce(parts) { $0[$1] }
            guard own != .none, !Fact.isLevel(fact.variable) else {
                facts.append(fact)
                continue
            }
            // That memory has changed can tell a private value, and so can its keys.
            if Fact.isMemory(fact.variable) { continue }
            let value = fact.value.map { Self.hide($0, own, at: place, &withheld) }
            facts.append(Fact(variable: fact.variable, entry: fact.entry, value: value))
        }
        self.facts = facts
        var known: Set<[String]> = []
        self.withheld = withheld.filter { known.insert($0).inserted }.map { JSONPointer($0) }
    }

    /// The place of a fact in a commit. Entries of memory are those of a definition, of which a client sees all or none.
    private static func place(of fact: Fact) -> [String] {
        if Fact.isMemory(fact.variable) { return ["memory", String(fact.variable.dropFirst())] }
        return ["changed", Fact.publicName(fact.variable)] + (fact.entry.map { [$0] } ?? [])
    }

    /// Returns a text of JSON with null in place of the private parts. Of a text that is not JSON nothing is shown.
    private static func hide(
        _ text: [UInt8], _ parts: PrivateParts, at place: [String], _ withheld: inout [[String]]
    ) -> [UInt8] {
        if parts == .none { return text }
        do throws(JSONError) {
            let value = try JSON(parsing: text, depth: JSONReader.greatestDepthLimit)
            let shown = parts.withheld(from: value, at: place, noting: &withheld)
            var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
            shown.write(to: &writer)
            return try writer.finish()
        } catch {
            withheld.append(place)
            return null
        }
    }

    private static let null = Array("null".utf8)
}

extension Fact {
    /// The fact with rows as clients see them.
    fileprivate var withoutAddings: Fact {
        guard hasAddings, let value else { return self }
        do throws(JSONError) {
            let shown = try entry == nil ? DescribedRow.shown(whole: value) : DescribedRow.shown(value)
            return Fact(variable: variable, entry: entry, value: shown)
        } catch {
            // The value of a variable that is no table.
            return self
        }
    }
}

extension Registry {
    /// Returns a commit without its private parts; nil if it has none. A part is private if it was so when the commit was
    /// made, or is so now.
    func hiddenCommit(_ record: CommitRecord) -> HiddenCommit? {
        let hasPrivate = catalog.hasPrivate || !record.withheld.isEmpty
        let places = hasPrivate ? record.withheld + catalog.withheld(record.action, record.input, record.facts) : []
        // A variable that no feature has any more may have been a table.
        func isTable(_ variable: String) -> Bool { catalog.changesByEntry(variable) ?? !Fact.isMemory(variable) }
        let hasAddings = record.facts.contains { ($0.entry != nil || isTable($0.variable)) && $0.hasAddings }
        guard !places.isEmpty || hasAddings else { return nil }
        return HiddenCommit(record, places, isTable)
    }

    /// Returns the input of an action with null in place of its private parts.
    package func shown(_ input: JSON, of action: ActionID) -> JSON {
        // The text is only of use to find the actions of several.
        let text = action.name == PerformedAction.several && catalog.hasPrivate ? try? input.json() : nil
        return privateInput(of: action.name, text).masking(input)
    }

    /// The private parts of the input of an action, by its name as `feature/action`, beside those that a commit recorded.
    package func privateInput(
        of action: String, _ input: [UInt8]? = nil, beside recorded: [String] = []
    ) -> PrivateParts {
        guard catalog.hasPrivate || !recorded.isEmpty else { return .none }
        let places = recorded + catalog.withheldInputs(of: action, input)
        return PrivateParts(places.compactMap { JSONPointer(text: $0)?.tokens })["input"]
    }
}
