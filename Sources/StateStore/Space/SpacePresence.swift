import Ground
import JSON
import Reactive

/// The rows of present clients, which come and go without versions.
extension Space {
    /// The minimum time for which the row of a client stays whose process is not heard: long enough for a node to announce
    /// its rows to a new owner of the space.
    static let announcementTime = Duration.seconds(2)

    /// Writes the row of a client, if the rule for the actions of the feature allows it. The stream of the client is held
    /// by `process`, or by this one on one machine.
    func join(_ request: PresenceRequest, of process: String? = nil, _ reply: @escaping (JoinOutcome) -> Void) {
        guard let (place, _) = context.registry.catalog.presence(request.table) else {
            return reply(.refused(.noSuchView(request.table)))
        }
        whenHere(using: place.feature.index) { failure in
            if let failure { return reply(.refused(.journal(failure))) }
            guard !self.isRenewing else { return reply(.refused(.migrating)) }
            do throws(Rejection) {
                try self.write(request, place)
            } catch {
                return reply(.refused(.rejected(error)))
            }
            let added = self.features[place.feature.index].presentAdding(place.index, request.key)
            let row = PresenceRow(table: request.table, key: request.key)
            self.presentClients.join(row, of: process)
            // The process may have been taken for dead while the space was busy.
            if let process, !self.presentClients.hears(process) {
                self.leave(row, of: process, after: Self.announcementTime)
            }
            self.whenDurable { _ in reply(.present(added)) }
        }
    }

    private func write(_ request: PresenceRequest, _ place: FeatureCatalog.VariablePlace) throws(Rejection) {
        let feature = features[place.feature.index]
        if request.isRepeated, feature.presentRow(place.index, request.key) != nil { return }
        let row = try feature.presenceRow(place.index, request.key, request.row)
        if !request.isRepeated {
            let rule = feature.makeActRule()
            guard rule != nil || !request.needsRule else {
                throw Rejection(.forbidden, "the rules of this table do not allow it to you")
            }
            if let rule { try check(rule, of: feature.name, request, row) }
        }
        // A row that an earlier owner had stands where it stood there.
        let newRow = FirstAdding(version: unkeptChanges + 1, index: 0)
        var transaction = graph.draft()
        do throws(JSONError) {
            try feature.writePresence(
                place.index, request.key, row, added: request.added == .unknown ? newRow : request.added,
                in: &transaction)
        } catch {
            graph.discard()
            throw Rejection(.invalid, "\(error.reason)", at: JSONPointer(["with"] + error.pointer.tokens))
        }
        do throws(Rejection) {
            try feature.checkIndexes(checksRows: true)
        } catch {
            graph.discard()
            throw error
        }
        publishPresence(of: feature)
    }

    /// Throws if the rule for the actions of a feature does not allow a client its row.
    private func check(
        _ rule: ActRule, of feature: String, _ request: PresenceRequest, _ row: JSON
    ) throws(Rejection) {
        defer { graph.discard() }
        var commit = Commit(
            graph.draft(), now: context.now, version: state.version + 1, caller: request.caller,
            random: context.randomness())
        try rule.check(presence: ["key": .string(request.key), "row": row], of: feature, &commit)
    }

    /// Publishes the draft, if it changes something.
    private func publishPresence(of feature: FeatureInstance) {
        guard let unkeptChanged = context.unkeptChanged else { return publishUnkept() }
        let facts = feature.unkeptFacts
        publishUnkept()
        if facts?.isEmpty != true { unkeptChanged(name, facts) }
    }

    /// Notes that a stream of a client has ended. Without another one, its row goes after the grace, and after at least
    /// `delay`.
    func leave(_ row: PresenceRow, of process: String? = nil, after delay: Duration = .zero) {
        let grace = context.registry.catalog.presence(row.table)?.outline.grace ?? .zero
        presentClients.leave(row, of: process) { endAlarm(of: row, after: max(grace, delay)) }
    }

    func endAlarm(of row: PresenceRow, after delay: Duration, failures: Int = 0) -> Alarm {
        let scheduler = context.executor.scheduler
        let alarm = Alarm(at: scheduler.now + delay) { [weak self] _ in
            guard let self, context.isOpen else { return }
            whenIdle { $0.remove(row, failures: failures) }
        }
        scheduler.set(alarm)
        return alarm
    }

    /// Removes the row of a client that has left, and performs the action for that. While the space cannot be loaded, or
    /// another node may own it, the row stays.
    private func remove(_ row: PresenceRow, failures: Int) {
        whenHere { failure in
            let isSure = self.context.ownership == nil || self.sureClaim == self.unkeptClaim
            guard failure == nil, isSure, !self.isRenewing else {
                let delays = failure == nil ? RetryDelays.forOwners : .forActions
                return self.presentClients.putOff(row) {
                    self.endAlarm(of: row, after: delays[failures], failures: failures + 1)
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
            try? feature.writePresence(place.index, row.key, nil, added: .unknown, in: &transaction)
            self.publishPresence(of: feature)
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
