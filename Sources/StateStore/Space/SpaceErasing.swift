import Reactive

/// The erasure of a row: a commit that removes it, with which the journal erases what it has of the row.
extension Space {
    /// Performs a call that erases a row.
    func erase(_ erasure: Erasure, _ call: Call, attempts: Int, _ reply: @escaping Reply) {
        func finish(_ result: Result<Answer, Refusal>, _ record: CommitRecord? = nil) {
            self.finish(call, attempts: attempts, result, record, reply)
        }
        if let refusal = refusal(ofViewsOf: call) { return finish(.failure(refusal)) }
        if let condition = call.condition, !condition(state.version, frames(of: call)) {
            return finish(.failure(.changed(version: state.version)))
        }
        let place = features.table(erasure.row.table)
        if let place, !place.isErasable {
            return finish(.failure(.noSuchRow(erasure.row)))
        }
        let feature = place.map { features[$0.index] }
        var facts: Facts
        do throws(Rejection) {
            facts = try remove(erasure.row, of: feature, place)
        } catch {
            graph.discard()
            return finish(.failure(.rejected(error)))
        }
        let isThere = !facts.isEmpty
        if !isThere {
            graph.discard()
            switch erasure.isStored {
            case .failure(let refusal): return finish(.failure(.past(refusal)))
            case .success(false): return finish(.failure(.noSuchRow(erasure.row)))
            case .success(true):
                // The commit removes what is not there: it makes the version as of which the row is gone from the past.
                let variable = place?.variable.key ?? erasure.row.table
                facts.append(Fact(variable: variable, entry: erasure.row.key, value: nil))
            }
        }
        let at = nextTime()
        let changed = facts.variables
        state.commit()
        if isThere {
            graph.publish()
            feature?.noteKept(facts)
            if let feature { noteChange(of: feature) }
        }
        noteCommitted(facts)
        if let feature, feature.blueprint.addsFacts, let level = features.noteLevel(of: feature.blueprint) {
            facts.append(level)
        }
        if isRemembering { remember(call, call.input, at: at, mayDefine: false, into: &facts) }
        keys.dropAnswers()
        queues.eraseContent(into: &facts)
        let answer = answer(call, changed)
        noteInQueue(call, answer, at: at, into: &facts)
        submit(record(of: call, call.input, at: at, facts), isShown: true) { finish(.success(answer), $0) }
    }

    /// Removes a row in a draft, and returns what changes.
    private func remove(
        _ row: ErasedRow, of feature: FeatureInstance?, _ place: FeatureSet.TablePlace?
    ) throws(Rejection) -> Facts {
        // Behind a rule, a removal of a row that there is not counts as a change. Here it is none.
        // A key that the table cannot have is the key of no row.
        guard let feature, let place, (try? feature.variables[place.variableIndex].entry(row.key)) != nil else {
            return Facts()
        }
        var transaction = graph.draft()
        try feature.removeRow(row.key, of: place.variableIndex, in: &transaction)
        graph.dropUnchanged()
        return try feature.facts()
    }
}
