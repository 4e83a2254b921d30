import Ground
import JSON
import Reactive

/// The performing of several actions in one commit.
extension Space {
    /// Performs the actions of a call, each on what those before it wrote. All of them change the state, or none.
    func perform(_ batch: ActionBatch, _ call: Call, attempts: Int, _ reply: @escaping Reply) {
        func finish(_ result: Result<Answer, Refusal>, _ record: CommitRecord? = nil) {
            self.finish(call, attempts: attempts, result, record, reply)
        }
        if let refusal = refusal(ofViewsOf: call) { return finish(.failure(refusal)) }
        if let condition = call.condition, !condition(state.version, frames(of: call)) {
            return finish(.failure(.changed(version: state.version)))
        }
        var ids: [ActionID] = []
        for (index, part) in batch.parts.enumerated() {
            // The features may have changed since the names were read.
            guard
                let id = context.registry.id(
                    feature: part.id.feature, name: part.id.action, isByEffect: call.isByEffect),
                (id.scope == .common) == (name == .common)
            else {
                let gone = Rejection(.invalid, "there is no action \(part.id.name)")
                return finish(.failure(.rejected(batch.rejection(of: index, gone))))
            }
            if let reason = features.unmigrated[id.featureIndex] { return finish(.failure(.unmigrated(reason))) }
            ids.append(id)
        }
        // A feature is made outside of a turn.
        let used = Set(ids.map(\.featureIndex)).sorted().map { features[$0] }
        let at = nextTime()
        let output: [UInt8]
        let changes: [(feature: FeatureInstance, facts: Facts)]
        let unkept: [String]
        do throws(Rejection) {
            output = try write(batch, ids, at: at, call)
            graph.dropUnchanged()
            (changes, unkept) = try self.changes(of: used)
        } catch {
            graph.discard()
            return finish(.failure(.rejected(error)))
        }
        var facts = Facts()
        for change in changes { for fact in change.facts { facts.append(fact) } }
        if let refusal = refusal(ofSizeOf: facts, by: used) ?? (unkept.isEmpty ? nil : refusal(ofUnkept: used)) {
            graph.discard()
            return finish(.failure(refusal))
        }
        if facts.isEmpty, !unkept.isEmpty {
            if context.ownership != nil, sureClaim == nil || sureClaim != unkeptClaim {
                graph.discard()
                guard let claim = sureClaim else { return finish(.failure(.elsewhere)) }
                takeOver(claim)
                return perform(batch, call, attempts: attempts, reply)
            }
            return finish(.success(publishUnkept(unkept, of: used, call, output)))
        }
        if facts.isEmpty { graph.discard() }
        if facts.isEmpty, call.key == nil || call.isKeyNew || state.version == 0 {
            return finish(.success(answer(call, [], output)))
        }
        let changed = facts.variables
        if !facts.isEmpty {
            state.commit()
            elapseLate(to: at)
            graph.publish()
            for (feature, own) in changes {
                feature.noteKept(own)
                noteChange(of: feature)
                if feature.blueprint.addsFacts, let level = features.noteLevel(of: feature.blueprint) {
                    facts.append(level)
                }
            }
            noteCommitted(facts)
            if isRemembering { remember(call, call.input, at: at, mayDefine: false, into: &facts) }
        }
        let answer = answer(call, changed, output)
        noteInQueue(call, answer, at: at, into: &facts)
        let record = self.record(of: call, call.input, at: at, facts, result: output)
        submit(record, isShown: !changed.isEmpty) { finish(.success(answer), $0) }
    }

    /// Performs the actions in a draft, and returns their answers as a list.
    private func write(
        _ batch: ActionBatch, _ ids: [ActionID], at: Timestamp, _ call: Call
    ) throws(Rejection) -> [UInt8] {
        var commit = Commit(
            graph.draft(), now: at, version: state.version + 1, caller: call.caller, random: context.randomness(),
            unkeptChange: unkeptChanges + 1)
        commit.knownIDs = call.knownIDs(in: name)
        var results = [UInt8(ascii: "[")]
        for (index, (part, id)) in zip(batch.parts, ids).enumerated() {
            commit.result = []
            do throws(Rejection) {
                try features[id.featureIndex].act(id.actionIndex, part.text, InputTree(part.input), &commit)
                try features[id.featureIndex].checkIndexes()
            } catch {
                throw batch.rejection(of: index, error)
            }
            if index > 0 { results.append(UInt8(ascii: ",")) }
            results += commit.result.isEmpty ? Array("null".utf8) : commit.result
        }
        results.append(UInt8(ascii: "]"))
        return results
    }

    /// The changes that the draft makes to some features, and the tables in memory only that it changes.
    private func changes(
        of used: [FeatureInstance]
    ) throws(Rejection) -> (kept: [(feature: FeatureInstance, facts: Facts)], unkept: [String]) {
        var kept: [(feature: FeatureInstance, facts: Facts)] = []
        var unkept: [String] = []
        for feature in used {
            let facts = try feature.facts()
            if !facts.isEmpty { kept.append((feature, facts)) }
            if feature.blueprint.hasUnkept { unkept += feature.unkeptChanges }
        }
        guard kept.isEmpty || unkept.isEmpty else {
            throw Rejection(
                .invalid, "the actions write what is kept or what is not, never both: send them apart",
                at: JSONPointer(["actions"]))
        }
        return (kept, unkept)
    }
}
