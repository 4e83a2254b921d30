package import JSON
import Reactive

/// Features that run in the process of an app, without a server: spaces that begin empty and end with it. Actions and views
/// are those of the program. There are no effects, no alarms and no journal. It has one owner, and no threads.
package final class PreviewedFeatures {
    /// The answer of an action.
    package struct PreviewAnswer {
        package let version: Int
        /// The value that the action answers, as JSON; empty for none.
        package let result: [UInt8]
    }

    /// The reason why a view cannot be watched.
    package enum ViewRefusal: Error {
        /// There is no such view; the space has others.
        case noSuchView(others: [String])
        case parameters(ParameterFault)
        case forbidden
    }

    /// The reason why an action cannot be performed in a space.
    package enum ActionAbsence {
        /// There is no such feature; there are others.
        case feature(String, others: [String])
        /// The feature has no such action and no such view; it has others.
        case name(feature: String, String, others: [String])
        /// The feature belongs to other spaces.
        case otherSpace(Scope)
    }

    private let graph = Graph()
    private let registry: Registry
    private let common: FeatureSet
    private var spaces: [SpaceName: FeatureSet] = [:]
    private var versions: [SpaceName: Int] = [:]
    private var random = Randomness(seed: 1)
    private static let key = DigestKey(1, 1)

    /// Registers features, each after those whose state it reads.
    package init(_ features: [Feature]) throws(RegistrationFault) {
        registry = try Registry(features)
        common = FeatureSet(registry.catalog, of: .common, key: Self.key)
    }

    /// The number of commits of a space.
    package func version(of space: SpaceName) -> Int { versions[space] ?? 0 }

    private func features(of space: SpaceName) -> FeatureSet {
        if space == .common { return common }
        if let set = spaces[space] { return set }
        let set = FeatureSet(registry.catalog, of: space, beside: common, key: Self.key)
        spaces[space] = set
        return set
    }

    /// Returns the reason why clients cannot perform an action in a space, by its name as `feature/action`; nil if they can.
    package func absence(of name: String, in space: SpaceName) -> ActionAbsence? {
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (feature, label) = (parts[0], parts.count == 2 ? parts[1] : "")
        if let id = registry.action(feature: feature, name: label) {
            return (id.scope == .common) == (space == .common) ? nil : .otherSpace(id.scope)
        }
        guard let names = registry.names(of: feature) else {
            return .feature(feature, others: registry.features.map(\.feature).sorted())
        }
        return .name(feature: feature, label, others: names.labels)
    }

    /// Performs an action as one commit. `place` is its place in the queue of a client that knows its identifiers.
    package func perform(
        _ name: String, _ input: [UInt8]?, in space: SpaceName, by caller: Caller, at time: Timestamp,
        place: (client: String, number: Int, time: Timestamp)? = nil
    ) throws(Rejection) -> PreviewAnswer {
        let parts = name.split(separator: "/").map(String.init)
        let set = features(of: space)
        guard parts.count == 2, set.hasAction(name),
            let feature = set.all.first(where: { $0.name == parts[0] }),
            let index = feature.blueprint.layouts.actions.labels.firstIndex(of: parts[1])
        else { throw Rejection(.conflict, "there is no action \(name)") }
        let version = version(of: space) + 1
        var commit = Commit(
            graph.draft(), now: time, version: version, caller: caller, random: Randomness(seed: random.next()))
        if let place {
            commit.knownIDs = KnownIDs(
                space: space, subject: caller.by, client: place.client, number: place.number, time: place.time)
        }
        let result: [UInt8]
        let isChanged: Bool
        do throws(Rejection) {
            try feature.act(index, input, nil, &commit)
            result = commit.result
            graph.dropUnchanged()
            isChanged = try !feature.facts().isEmpty || !feature.unkeptChanges.isEmpty
        } catch {
            graph.discard()
            throw error
        }
        if isChanged { versions[space] = version }
        graph.publish()
        return PreviewAnswer(version: isChanged ? version : version - 1, result: result)
    }

    /// Watches a view as a caller sees it, by its name with parameters. `receive` gets nil while a rule refuses it.
    package func watch(
        _ view: String, in space: SpaceName, for caller: Caller,
        _ receive: @escaping (Result<JSON, ViewFailure>?) -> Void
    ) throws(ViewRefusal) -> [Subscription] {
        let set = features(of: space)
        let name: ViewKey
        do throws(ParameterFault) {
            name = try set.viewName(ViewKey(view))
        } catch {
            throw .parameters(error)
        }
        let noSuchView = ViewRefusal.noSuchView(
            others: registry.views.map(\.name).filter { registry.hasView($0, in: space) }.map(\.description))
        let permit: ReadPermit
        do throws(Refusal) {
            let reader = Reader(caller, Permissions([.init(.read, in: [.any])]))
            permit = try ReadPermit.issue([name], in: space, to: reader, by: registry)
        } catch {
            throw .forbidden
        }
        // A space shows the views of common too.
        guard let source = permit.sources.first,
            let watched = set.namedView(source) ?? (space == .common ? nil : common.namedView(source))
        else { throw noSuchView }
        let gate = ViewGate(receive)
        var subscriptions: [Subscription] = []
        for rule in permit.ruleNames {
            guard let answer = set.namedView(rule) ?? common.namedView(rule) else { throw .forbidden }
            gate.isOpen = false
            subscriptions.append(
                answer.tree().watch(
                    in: graph, receive: { gate.open($0 == .bool(true)) }, end: { _ in gate.open(false) }))
        }
        subscriptions.append(
            watched.watch(in: graph, Self.key) { value, tree in
                switch value {
                case .success: gate.take(Result { () throws(JSONError) in try tree() }.mapError { ViewFailure($0) })
                case .failure(let failure): gate.take(.failure(failure))
                }
            })
        return subscriptions
    }

    /// The values of a view behind its rule.
    private final class ViewGate {
        private let receive: (Result<JSON, ViewFailure>?) -> Void
        private var value: Result<JSON, ViewFailure>?
        var isOpen = true

        init(_ receive: @escaping (Result<JSON, ViewFailure>?) -> Void) { self.receive = receive }

        func open(_ isTrue: Bool) {
            guard isTrue != isOpen else { return isTrue ? () : receive(nil) }
            isOpen = isTrue
            receive(isTrue ? value : nil)
        }

        func take(_ value: Result<JSON, ViewFailure>) {
            self.value = value
            if isOpen { receive(value) }
        }
    }
}
