import Ground
import JSON
import Reactive

/// The rows of present clients, which come and go without versions.
extension Space {
    /// Writes the row of a client, if the rule for the actions of the feature allows it.
    func join(_ request: PresenceRequest, _ reply: @escaping (Refusal?) -> Void) {
        guard let (place, _) = context.registry.catalog.presence(request.table) else {
            return reply(.noSuchView(request.table))
        }
        whenHere(using: place.feature.index) { failure in
            if let failure { return reply(.journal(failure)) }
            do throws(Rejection) {
                try self.write(request, place)
            } catch {
                return reply(.rejected(error))
            }
            self.presentClients.join(PresentClients.Row(table: request.table, key: request.key))
            self.whenDurable { _ in reply(nil) }
        }
    }

    private func write(_ request: PresenceRequest, _ place: FeatureCatalog.VariablePlace) throws(Rejection) {
        let feature = features[place.feature.index]
        let row = try feature.presenceRow(place.index, request.row)
        let rule = feature.makeActRule()
        guard rule != nil || !request.needsRule else { throw .forbidden }
        if let rule { try check(rule, request) }
        var transaction = graph.draft()
        do throws(JSONError) {
            try feature.writePresence(place.index, request.key, try row.json(), in: &transaction)
        } catch {
            graph.discard()
            throw Rejection(.invalid, "\(error.reason)", at: JSONPointer(["with"] + error.pointer.tokens))
        }
        publishPresence()
    }

    /// Throws if the rule for the actions of a feature does not allow a client its row.
    private func check(_ rule: ActRule, _ request: PresenceRequest) throws(Rejection) {
        defer { graph.discard() }
        var commit = Commit(
            graph.draft(), now: context.now, version: state.version + 1, caller: request.caller,
            random: context.randomness())
        try rule.check(presence: request.input, &commit)
    }

    /// Publishes the draft, if it changes something.
    private func publishPresence() {
        graph.dropUnchanged()
        unkeptChanges += 1
        graph.publish()
        hasUnkeptRows = features.hasUnkeptRows
    }

    /// Notes that a stream of a client has ended. Without another one, its row goes after the grace.
    func leave(_ table: String, _ key: String) {
        let row = PresentClients.Row(table: table, key: key)
        let grace = context.registry.catalog.presence(table)?.outline.grace ?? .zero
        presentClients.leave(row) { endAlarm(of: row, after: grace) }
    }

    private func endAlarm(of row: PresentClients.Row, after delay: Duration, failures: Int = 0) -> Alarm {
        let scheduler = context.executor.scheduler
        let alarm = Alarm(at: scheduler.now + delay) { [weak self] _ in
            guard let self, context.isOpen else { return }
            whenIdle { $0.remove(row, failures: failures) }
        }
        scheduler.set(alarm)
        return alarm
    }

    /// Removes the row of a client that has left, and performs the action for that. While the space cannot be loaded,
    /// the row stays.
    private func remove(_ row: PresentClients.Row, failures: Int) {
        whenHere { failure in
            guard failure == nil else {
                return self.presentClients.putOff(row) {
                    self.endAlarm(of: row, after: RetryDelays.forActions[failures], failures: failures + 1)
                }
            }
            // The client may have come back while the space was loaded.
            guard self.presentClients.end(row),
                let (place, outline) = self.context.registry.catalog.presence(row.table)
            else { return }
            let feature = self.features[place.feature.index]
            guard let last = feature.presentRow(place.index, row.key) else { return }
            var transaction = self.graph.draft()
            // The removal of a row reads nothing that could fail.
            try? feature.writePresence(place.index, row.key, nil, in: &transaction)
            self.publishPresence()
            if let action = outline.onLeave { self.perform(action, of: feature, row.key, last) }
            if !self.hasUnkeptRows { self.noteUse() }
        }
    }

    private func perform(_ action: String, of feature: FeatureInstance, _ key: String, _ row: JSON) {
        var input = JSON.Object()
        if case .object(let properties)? = feature.blueprint.inputs[action]?["properties"] {
            if properties["key"] != nil { input["key"] = .string(key) }
            if properties["row"] != nil { input["row"] = row }
        }
        guard let id = context.registry.id(feature: feature.name, name: action, isByEffect: true) else { return }
        // Rows have at most the depth of a body, so they can be written.
        let bytes = (try? JSON.object(input).json()) ?? Array("{}".utf8)
        context.performUntilStored(Call(id, input: bytes, caller: .server), in: name) { [context, name] result in
            if case .failure(let refusal) = result {
                context.warn("\(id.name) of the space \(name), for a client that has left, was refused: \(refusal)")
            }
        }
    }
}
