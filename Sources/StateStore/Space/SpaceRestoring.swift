import Ground
import Reactive

/// The return to a past state: a commit like that of an action, which changes all features at once.
extension Space {
    /// Performs a call that returns to a past state, that erases a row, or that performs several actions.
    func restore(_ call: Call, attempts: Int, _ reply: @escaping Reply) {
        if let erasure = call.tree?.restoration as? Erasure {
            return erase(erasure, call, attempts: attempts, reply)
        }
        if let batch = call.tree?.restoration as? ActionBatch {
            return perform(batch, call, attempts: attempts, reply)
        }
        if let edit = call.tree?.restoration as? StateEdit { return self.edit(edit, call, attempts: attempts, reply) }
        func finish(_ result: Result<Answer, Refusal>, _ record: CommitRecord? = nil) {
            self.finish(call, attempts: attempts, result, record, reply)
        }
        if let refusal = call.permit.flatMap(refusal(byRulesOf:)) { return finish(.failure(refusal)) }
        if let condition = call.condition, !condition(state.version, frames(of: call)) {
            return finish(.failure(.changed(version: state.version)))
        }
        guard let restoration = call.tree?.restoration as? Restoration else { return finish(.failure(.noSuchAction)) }
        var facts: Facts
        let hasMemory: Bool
        switch restoration.state {
        case .failure(let refusal): return finish(.failure(.past(refusal)))
        case .success(let past):
            // The answer shows views that the return defines.
            if let refusal = refusal(of: call.permit?.sources ?? [], in: past.value) {
                return finish(.failure(refusal))
            }
            do throws(Rejection) {
                facts = try change(to: past.value)
            } catch {
                graph.discard()
                return finish(.failure(.rejected(error)))
            }
            hasMemory = features.hasMemory(of: past.value)
        }
        // A return to a past state is one commit, of any size.
        if let refusal = refusal(ofGrowthBy: facts, by: features.made) {
            graph.discard()
            return finish(.failure(refusal))
        }
        if facts.isEmpty { graph.discard() }
        let isUnchanged = facts.isEmpty && hasMemory
        if isUnchanged, call.key == nil || state.version == 0 { return finish(.success(answer(call, []))) }
        let at = nextTime()
        let changed = facts.variables
        if !isUnchanged {
            state.commit()
            if !facts.isEmpty { graph.publish() }
            for feature in features.made {
                feature.noteKept(facts)
                noteChange(of: feature)
            }
            noteCommitted(facts)
            if case .success(let past) = restoration.state { restoreMemory(of: past.value, into: &facts) }
        }
        let answer = answer(call, changed)
        noteInQueue(call, answer, at: at, into: &facts)
        let record = self.record(of: call, call.input, at: at, facts, withholding: restoration.withheld)
        submit(record, isShown: !isUnchanged) { finish(.success(answer), $0) }
    }

    /// Writes the state of other features in a draft, and returns what differs.
    private func change(to past: FeatureSet) throws(Rejection) -> Facts {
        var transaction = graph.draft()
        features.change(to: past, in: &transaction)
        graph.dropUnchanged()
        var facts = Facts()
        for feature in features.made {
            for fact in try feature.facts() { facts.append(fact) }
        }
        return facts
    }
}
