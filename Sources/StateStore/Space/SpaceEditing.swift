internal import Ground
import JSON
import Reactive

/// Edits by administrators: commits that change single rows, or undo one commit. Schemas and
/// unique indexes hold; guards and the rules of actions do not.
extension StateEdit: DraftingAction {
    func draft(_ call: Call, at: Timestamp, in space: Space) throws(Refusal) -> CommitDraft {
        var draft = CommitDraft(features: try space.write(self, call.caller), isRehearsal: isRehearsal)
        space.graph.dropUnchanged()
        do throws(Rejection) {
            for feature in draft.features {
                try feature.checkIndexes(checksRows: true)
                for fact in try feature.facts() { draft.facts.append(fact) }
            }
        } catch {
            throw .rejected(error)
        }
        draft.isWritten = !draft.facts.isEmpty
        if case .rows(let rows) = content { space.appendEqual(rows, to: &draft.facts) }
        return draft
    }
}

extension Space {
    /// Writes an edit in a draft. Returns the features that it touches, each once.
    fileprivate func write(_ edit: StateEdit, _ caller: Caller) throws(Refusal) -> [FeatureInstance] {
        switch edit.content {
        case .rows(let rows):
            do throws(Rejection) {
                return try write(rows, caller)
            } catch {
                throw .rejected(error)
            }
        case .undo(.failure(let fault)): throw Self.fault(of: fault)
        case .undo(.success(let undone)):
            // Commits after those that were read may have changed the same.
            guard undone.version == state.version else { throw .contended }
            do throws(Rejection) {
                return try undo(undone, caller)
            } catch {
                throw .rejected(error)
            }
        }
    }

    private static func fault(of fault: StateEdit.UndoFault) -> Refusal {
        let place = JSONPointer(["undo"])
        return switch fault {
        case .past(let refusal): .past(refusal)
        case .noCommit:
            .rejected(Rejection(.conflict, "the space has no commit of this version", at: place))
        case .nothing:
            .rejected(Rejection(.conflict, "the commit has changed no state that can be undone", at: place))
        case .overtaken(let version):
            .rejected(
                Rejection(.conflict, "the later commit \(version) has changed what this one changed", at: place))
        }
    }

    // MARK: Rows

    private func write(_ edits: [StateEdit.RowEdit], _ caller: Caller) throws(Rejection) -> [FeatureInstance] {
        var touched: [FeatureInstance] = []
        var seen: Set<StateEdit.StatePlace> = []
        var places: [FeatureSet.TablePlace] = []
        for (index, edit) in edits.enumerated() {
            let pointer = JSONPointer(["edits", "\(index)"])
            guard let place = features.table(edit.table), place.isErasable, mayEdit(place.index) else {
                throw Rejection(
                    .invalid, "there is no table of this name that can be edited", at: pointer.appending("table"),
                    allowed: editableTables)
            }
            guard seen.insert(StateEdit.StatePlace(variable: edit.table, entry: edit.key)).inserted else {
                throw Rejection(.invalid, "the row is there twice", at: pointer.appending("key"))
            }
            let feature = features[place.index]
            if !touched.contains(where: { $0 === feature }) {
                try checkEdit(of: feature, caller)
                touched.append(feature)
            }
            places.append(place)
        }
        var transaction = graph.draft()
        for (index, edit) in edits.enumerated() {
            let (place, pointer) = (places[index], JSONPointer(["edits", "\(index)"]))
            let feature = features[place.index]
            let old = feature.presentRow(place.variableIndex, edit.key)
            let row = try Self.row(of: edit, old, place, at: pointer)
            try write(row, edit, old, feature, place, index, at: pointer, in: &transaction)
        }
        return touched
    }

    /// Returns the new row of an edit; nil if it goes.
    private static func row(
        of edit: StateEdit.RowEdit, _ old: JSON?, _ place: FeatureSet.TablePlace, at pointer: JSONPointer
    ) throws(Rejection) -> JSON? {
        func missing() -> Rejection {
            Rejection(.conflict, "\(edit.table) has no row of this key", at: pointer.appending("key"))
        }
        switch edit.change {
        case .removal:
            if old == nil { throw missing() }
            return nil
        case .members(let members):
            guard let old else { throw missing() }
            guard case .object(var row) = old else {
                throw Rejection(
                    .invalid, "the row has no members: send the whole row", at: pointer.appending("with"),
                    allowed: ["row"])
            }
            for member in members { row[member.key] = member.value }
            return .object(row)
        case .row(let row):
            let parts = place.variable.privateParts[nil]
            return old.map { parts.keeping($0, in: row) } ?? row
        }
    }

    private func write(
        _ row: JSON?, _ edit: StateEdit.RowEdit, _ old: JSON?, _ feature: FeatureInstance,
        _ place: FeatureSet.TablePlace, _ index: Int, at pointer: JSONPointer, in transaction: inout Transaction
    ) throws(Rejection) {
        var member = pointer.appending("key")
        if row != nil, old == nil, let fault = feature.fault(ofKey: edit.key, place.variableIndex) {
            throw Rejection(.invalid, fault, at: member)
        }
        if case .members = edit.change { member = pointer.appending("with") }
        if case .row = edit.change { member = pointer.appending("row") }
        var checked = row
        if let row {
            do throws(Rejection) {
                checked = try feature.presenceRow(place.variableIndex, edit.key, row)
            } catch {
                // The words could have a private member that the edit does not name.
                let words = feature.fault(of: row, place.variableIndex) ?? error.description
                throw Rejection(.invalid, words, at: member)
            }
        }
        let known = feature.presentAdding(place.variableIndex, edit.key)
        let added = known == .unknown ? FirstAdding(version: state.version + 1, index: index) : known
        do throws(JSONError) {
            try feature.writePresence(place.variableIndex, edit.key, checked, added: added, in: &transaction)
        } catch {
            throw Rejection(.invalid, "\(error.reason)", at: member)
        }
    }

    /// Appends the rows whose private members an edit names, if it leaves them as they are: the answer must not tell
    /// whether a private member has a value.
    fileprivate func appendEqual(_ edits: [StateEdit.RowEdit], to facts: inout Facts) {
        for edit in edits {
            guard let place = features.table(edit.table), edit.names(place.variable.privateParts[nil]) else { continue }
            let (feature, key) = (features[place.index], place.variable.key)
            guard !facts.contains(where: { $0.variable == key && ($0.entry ?? edit.key) == edit.key }),
                feature.presentRow(place.variableIndex, edit.key) != nil
            else { continue }
            let variable = feature.variables[place.variableIndex]
            // The journal does not have the initial rows of a table one by one.
            let isInitial = feature.isInitial(key)
            guard let value = try? isInitial ? variable.whole() : variable.entry(edit.key) else { continue }
            facts.append(Fact(variable: key, entry: isInitial ? nil : edit.key, value: value))
        }
    }

    /// Returns true if the state of a feature can be edited: not that of the server itself.
    private func mayEdit(_ index: Int) -> Bool {
        let name = features.catalog.blueprints(in: features.scope)[index].name
        return !ReservedNames.internalFeatures.contains(name) && name != "streams"
    }

    private var editableTables: [String] {
        features.catalog.blueprints(in: features.scope).enumerated().filter { mayEdit($0.offset) }.flatMap {
            _, blueprint in
            blueprint.variables.filter { $0.type.changesByEntry && $0.isKept }.map(\.name)
        }
    }

    /// Throws if the document of a feature forbids edits to a caller.
    private func checkEdit(of feature: FeatureInstance, _ caller: Caller) throws(Rejection) {
        guard let rule = feature.makeEditRule() else { return }
        defer { graph.discard() }
        var commit = Commit(
            graph.draft(), now: context.now, version: state.version + 1, caller: caller, random: context.randomness())
        try rule.check(presence: [:], of: feature.name, &commit)
    }

    // MARK: Undoing

    private func undo(_ undone: StateEdit.UndoneCommit, _ caller: Caller) throws(Rejection) -> [FeatureInstance] {
        var touched: [FeatureInstance] = []
        let before = undone.before.value
        for place in undone.places {
            guard let (index, _) = features.place(ofVariable: place.variable), mayEdit(index),
                before.place(ofVariable: place.variable) != nil
            else {
                throw Rejection(
                    .conflict, "the commit has changed \(Fact.publicName(place.variable)), which cannot be edited",
                    at: JSONPointer(["undo"]))
            }
            let feature = features[index]
            if !touched.contains(where: { $0 === feature }) {
                try checkEdit(of: feature, caller)
                touched.append(feature)
            }
        }
        var transaction = graph.draft()
        for place in undone.places {
            guard let (index, variable) = features.place(ofVariable: place.variable),
                let (oldIndex, oldVariable) = before.place(ofVariable: place.variable)
            else { continue }
            let feature = features[index]
            do throws(JSONError) {
                let old = before[oldIndex].variables[oldVariable]
                let value = try place.entry == nil ? old.whole() : old.entry(place.entry ?? "")
                try check(value, of: feature, variable, place)
                try feature.variables[variable].take(
                    Fact(variable: place.variable, entry: place.entry, value: value), in: &transaction)
            } catch {
                throw Rejection(
                    .invalid, "\(Fact.publicName(place.variable)): \(error.reason)", at: JSONPointer(["undo"]))
            }
        }
        return touched
    }

    /// Throws if an earlier value does not satisfy the present schema.
    private func check(
        _ value: [UInt8]?, of feature: FeatureInstance, _ variable: Int, _ place: StateEdit.StatePlace
    ) throws(JSONError) {
        guard let value, feature.blueprint.isDescribed else { return }
        let depth = JSONReader.greatestDepthLimit
        var values: [JSON] = []
        if !feature.blueprint.variables[variable].type.changesByEntry {
            values = [try JSON(parsing: value, depth: depth)]
        } else if place.entry != nil {
            values = [try DescribedRow(parsing: value, depth: depth).value]
        } else {
            values = try [String: DescribedRow](parsing: value, depth: depth).values.map(\.value)
        }
        for value in values {
            if let fault = feature.fault(of: value, variable) { throw JSONError(.refused("of then: \(fault)"), at: 0) }
        }
    }
}

extension FeatureSet {
    /// The place of a variable, by its name in facts; nil if no feature has it.
    fileprivate func place(ofVariable key: String) -> (feature: Int, variable: Int)? {
        for (index, blueprint) in catalog.blueprints(in: scope).enumerated() {
            if let variable = blueprint.variables.firstIndex(where: { $0.key == key }) { return (index, variable) }
        }
        return nil
    }
}

extension StateEdit.RowEdit {
    /// Returns true if the edit gives a private member a value.
    fileprivate func names(_ parts: PrivateParts) -> Bool {
        if parts == .none { return false }
        switch change {
        case .members(let members): return members.contains { parts[$0.key] != .none }
        case .row: return true
        case .removal: return false
        }
    }
}

extension PrivateParts {
    /// Returns a value with the private members of an old one that it does not name.
    fileprivate func keeping(_ old: JSON, in new: JSON) -> JSON {
        guard case .inside(let parts, let others) = self, case .object(let before) = old, case .object(var after) = new
        else { return new }
        for member in before {
            let part = parts[member.key] ?? others
            if let value = after[member.key] {
                after[member.key] = part.keeping(member.value, in: value)
            } else if part == .whole {
                after[member.key] = member.value
            }
        }
        return .object(after)
    }
}
