package import JSON
package import Reactive

/// A feature that runs over a replica: the state as the server has confirmed it, with the actions that wait performed on
/// it. It has one owner, and no threads.
///
/// Invariant: outside of the entries in `touched` the state that is shown equals the confirmed one.
package final class LocalFeature<State, Service: StateService, Model: ViewModel> {
    /// An action that waits.
    package struct LocalAction {
        package let id: String
        /// The feature and the action.
        package let name: String
        package let input: [UInt8]
        /// The place in the queue, from which its identifiers follow.
        package var client: String
        package var number: Int
        package var time: Timestamp

        package init(id: String, name: String, input: [UInt8], client: String, number: Int, time: Timestamp) {
            (self.id, self.name, self.input) = (id, name, input)
            (self.client, self.number, self.time) = (client, number, time)
        }
    }

    /// A variable, or the rows of a table, as the server has confirmed them.
    private enum ConfirmedState {
        case variable(JSON?)
        case table([String: JSON])
    }

    /// The entries of a table that actions have written, or all of it, or a variable.
    private struct TouchedState {
        var keys: Set<String> = []
        var isWhole = false
    }

    private let graph = Graph()
    private let feature: FeatureInstance
    private let model: Model
    private let space: SpaceName
    private let initial: [ConfirmedState]
    private var confirmed: [ConfirmedState]
    private var touched: [Int: TouchedState] = [:]
    /// The indexes of the variables that clients hold.
    private let held: Set<Int>
    /// True if a refusal by this replica is one of the server: nothing that actions read is missing.
    package let isComplete: Bool
    /// The caller; nil before it is known. Nothing is performed before.
    package var caller: Caller?
    /// The state, if clients hold groups of a table. A row of another group is not shown, also if an action writes it.
    private let grouped: (any ReplicatedState)?
    /// The number of steps of the server that changed an entry which an action of this device had shown. Another commit came
    /// between, or the action reads what is not replicated, or its time.
    package private(set) var differenceCount = 0
    /// Seeds of the random numbers of actions, which differ from those of the server.
    private var random = Randomness(seed: 1)

    /// A feature over an empty replica.
    package init(_ declared: FeatureModel<State, Service, Model>, in space: SpaceName) throws(RegistrationFault) {
        self.space = space
        let catalog = try Registry([declared.feature()]).catalog
        let set = FeatureSet(catalog, of: space, beside: FeatureSet(catalog))
        let feature = set[0]
        self.feature = feature
        guard let instance = feature as? StatefulFeature<State>, let state = instance.state as? any ReplicatedState
        else {
            throw RegistrationFault("\(declared.name) has no replica: its state has to be a ReplicatedState")
        }
        model = try declared.localViewModel(instance.state)
        let (labels, isComplete) = state.heldLabels()
        self.isComplete = isComplete
        grouped = labels.values.contains(false) ? state : nil
        held = Set(feature.blueprint.variables.indices.filter { labels[feature.blueprint.variables[$0].label] != nil })
        initial = feature.variables.map { variable in
            if variable.isTable { return .table([:]) }
            return .variable((try? variable.whole()).flatMap { try? JSON(parsing: $0) })
        }
        confirmed = initial
    }

    /// The confirmed replica, as the server sends it.
    package var content: JSON {
        var content = JSON.Object()
        for index in held.sorted() {
            let label = feature.blueprint.variables[index].label
            switch confirmed[index] {
            case .variable(let value): content[label] = value ?? .null
            case .table(let rows):
                var members = JSON.Object()
                for (key, row) in rows.sorted(by: { $0.key < $1.key }) { members[key] = row }
                content[label] = .object(members)
            }
        }
        return .object(content)
    }

    // MARK: Steps

    /// A change of the confirmed state.
    package enum ConfirmedNews {
        case whole(JSON.Object)
        case changes(JSON.Object)
        case gone
    }

    /// Takes changes of the confirmed state, and performs the actions that wait on it, in order. The difference to what was
    /// shown before is published once. Returns the actions that did not succeed: their effects are absent.
    ///
    /// The cost is that of the changes and of the actions; each action that does not succeed repeats those before it.
    package func step(_ news: [ConfirmedNews], _ actions: [LocalAction]) -> Set<String> {
        let predicted = news.isEmpty ? [:] : shownEntries()
        for one in news { confirm(one) }
        var failed: Set<String> = caller == nil ? Set(actions.map(\.id)) : []
        while true {
            var transaction = graph.draft()
            for (index, entries) in touched { restore(index, entries, in: &transaction) }
            guard let failure = firstFailure(of: actions.filter { !failed.contains($0.id) }) else { break }
            graph.discard()
            failed.insert(failure)
        }
        publish()
        if failed.count == actions.count { touched = [:] }
        if predicted.contains(where: { !isTouched($0.key) && shown($0.key) != $0.value }) { differenceCount += 1 }
        return failed
    }

    /// Performs an action on what is shown. Throws if it is refused, and then changes nothing.
    package func perform(_ action: LocalAction) throws(Rejection) {
        _ = graph.draft()
        do throws(Rejection) {
            try run(action)
        } catch {
            graph.discard()
            throw error
        }
        publish()
    }

    // MARK: Differences

    /// A row of a table, or a variable.
    private struct EntryName: Hashable {
        let index: Int
        let key: String?
    }

    /// The values of the entries that actions have written.
    private func shownEntries() -> [EntryName: [UInt8]?] {
        var values: [EntryName: [UInt8]?] = [:]
        for (index, entries) in touched where held.contains(index) {
            for key in entries.keys {
                let name = EntryName(index: index, key: key)
                values[name] = shown(name)
            }
            if case .variable = confirmed[index] {
                values[EntryName(index: index, key: nil)] = shown(EntryName(index: index, key: nil))
            }
        }
        return values
    }

    private func shown(_ name: EntryName) -> [UInt8]? {
        guard let key = name.key else { return try? feature.variables[name.index].whole() }
        return (try? feature.variables[name.index].entry(key)) ?? nil
    }

    private func isTouched(_ name: EntryName) -> Bool {
        guard let entries = touched[name.index] else { return false }
        return entries.isWhole || name.key.map { entries.keys.contains($0) } ?? false
    }

    private func firstFailure(of actions: [LocalAction]) -> String? {
        for action in actions {
            do throws(Rejection) {
                try run(action)
            } catch {
                return action.id
            }
        }
        return nil
    }

    private func run(_ action: LocalAction) throws(Rejection) {
        let label = action.name.split(separator: "/").last.map(String.init) ?? ""
        guard let index = feature.blueprint.layouts.actions.labels.firstIndex(of: label),
            feature.blueprint.names.offers(label), let caller
        else { throw Rejection(.conflict, "there is no action \(action.name) here") }
        var commit = Commit(
            graph.continuedDraft(), now: action.time, version: action.number, caller: caller,
            random: Randomness(seed: random.next()))
        commit.knownIDs = KnownIDs(
            space: space, subject: caller.by, client: action.client, number: action.number, time: action.time)
        try feature.act(index, action.input, nil, &commit)
        try feature.checkIndexes()
    }

    /// Publishes the open transaction, and notes the entries that it writes.
    private func publish() {
        removeStrangers()
        graph.dropUnchanged()
        // Indexes were checked after each action; a value that cannot be written is no fact of the server's either.
        let facts = (try? feature.facts()) ?? Facts()
        for fact in facts {
            guard let index = feature.blueprint.variables.firstIndex(where: { $0.key == fact.variable }) else {
                continue
            }
            if let entry = fact.entry {
                touched[index, default: TouchedState()].keys.insert(entry)
            } else {
                touched[index, default: TouchedState()].isWhole = true
            }
        }
        graph.publish()
    }

    /// Removes what actions have written into groups that the caller does not hold.
    private func removeStrangers() {
        guard let grouped, let caller else { return }
        var written: [String: Set<String>] = [:]
        var whole: Set<String> = []
        for fact in (try? feature.facts()) ?? Facts() {
            guard let variable = feature.blueprint.variables.first(where: { $0.key == fact.variable }) else { continue }
            if let entry = fact.entry {
                written[variable.label, default: []].insert(entry)
            } else {
                whole.insert(variable.label)
            }
        }
        var transaction = graph.continuedDraft()
        grouped.removeStrangers(
            of: Viewer(caller, in: space), written: { whole.contains($0) ? nil : written[$0] ?? [] }, in: &transaction)
    }

    // MARK: The confirmed state

    private func confirm(_ news: ConfirmedNews) {
        switch news {
        case .gone:
            confirmed = initial
            for index in held { touched[index, default: TouchedState()].isWhole = true }
        case .whole(let content):
            for index in held {
                let value = content[feature.blueprint.variables[index].label]
                replace(index, value)
            }
        case .changes(let content):
            for member in content {
                guard let index = held.first(where: { feature.blueprint.variables[$0].label == member.key }) else {
                    continue
                }
                guard case .table(var rows) = confirmed[index] else {
                    replace(index, member.value)
                    continue
                }
                guard case .object(let changes) = member.value else { continue }
                // The rows are changed in place.
                confirmed[index] = .table([:])
                for change in changes {
                    rows[change.key] = change.value == .null ? nil : change.value
                    touched[index, default: TouchedState()].keys.insert(change.key)
                }
                confirmed[index] = .table(rows)
            }
        }
    }

    private func replace(_ index: Int, _ value: JSON?) {
        touched[index, default: TouchedState()].isWhole = true
        guard case .table = confirmed[index] else { return confirmed[index] = .variable(value) }
        var rows: [String: JSON] = [:]
        if case .object(let members)? = value { for member in members { rows[member.key] = member.value } }
        confirmed[index] = .table(rows)
    }

    /// Writes the confirmed values of some entries. A value that the types of this program do not take, because the server
    /// is newer, is not shown.
    private func restore(_ index: Int, _ entries: TouchedState, in transaction: inout Transaction) {
        let variable = feature.variables[index]
        let name = feature.blueprint.variables[index].key
        func take(_ entry: String?, _ value: JSON?) {
            do throws(JSONError) {
                try variable.take(
                    Fact(variable: name, entry: entry, value: try value?.json()), in: &transaction)
            } catch {
                guard let entry else { return }
                _ = try? variable.take(Fact(variable: name, entry: entry, value: nil), in: &transaction)
            }
        }
        switch confirmed[index] {
        case .variable(let value): if let value { take(nil, value) }
        case .table(let rows):
            var keys = entries.keys
            if entries.isWhole {
                keys.formUnion(rows.keys)
                keys.formUnion(variable.entries)
            }
            for key in keys { take(key, rows[key]) }
        }
    }

    // MARK: Views

    /// Watches a view as this feature shows it. The values are those of the view model; of a list they are its rows.
    package func watch(
        _ view: PartialKeyPath<Model>, _ parameters: JSON, _ receive: @escaping (Result<Any, any Error>) -> Void
    ) -> Subscription? {
        let viewer = Viewer(caller ?? .nobody, in: space)
        guard let stored = model[keyPath: view] as? any StoredView,
            let made = try? stored.view(
                of: ViewForm.Instance(name: "", parameters: parameters, window: nil), for: viewer, named: "",
                DigestKey(0, 0)),
            let watched = made as? any LocallyWatched
        else { return nil }
        return watched.watchLocally(in: graph, receive)
    }
}

/// A view whose values are watched without JSON.
private protocol LocallyWatched {
    func watchLocally(in graph: Graph, _ receive: @escaping (Result<Any, any Error>) -> Void) -> Subscription
}

extension Observable: LocallyWatched {
    fileprivate func watchLocally(
        in graph: Graph, _ receive: @escaping (Result<Any, any Error>) -> Void
    ) -> Subscription {
        watch(
            in: graph, receive: { value in receive(.success((value as? any RowsListing)?.rowsOfList ?? value)) },
            end: { end in if case .failed(let error) = end { receive(.failure(error)) } })
    }
}

/// A list whose rows a client has as an array.
private protocol RowsListing {
    var rowsOfList: Any { get }
}

extension RowList: RowsListing {
    fileprivate var rowsOfList: Any { map(\.row) }
}
