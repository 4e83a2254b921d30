/// The blueprints of all registered features, and the places of their variables and views by name.
package final class FeatureCatalog: Sendable {
    /// The place of a variable.
    package struct VariablePlace: Sendable {
        package let feature: FeaturePlace
        /// The index among the variables of the feature.
        package let index: Int
    }

    private let ofSpaces: [FeatureBlueprint]
    private let ofCommon: [FeatureBlueprint]
    private let variables: [String: VariablePlace]
    /// The features by name.
    private let places: [String: FeaturePlace]
    /// The places that features have left vacant because they have another home now, by name.
    private let vacant: [String: FeaturePlace]
    /// The features of each scope that effects use: those with effects, and those whose state these read.
    private let usedByEffects: (ofSpaces: [Int], ofCommon: [Int])
    /// True if a view depends on the caller, or a feature has rules, or had some when it was removed.
    package let hasRules: Bool
    /// The features that had rules when they were removed.
    private let removedWithRules: Set<String>
    /// True if a feature has tables whose rows are in memory only.
    package let hasUnkept: Bool
    /// True if a feature has views beyond those that it names.
    let hasOpen: Bool
    /// True if a feature has a replica.
    let hasReplicas: Bool
    /// True if a part of a feature's state or inputs is private.
    package let hasPrivate: Bool
    /// The claims that the rules of all views read.
    let ruleClaims: ClaimSet

    /// The features of each scope with named operators.
    private let withOperators: (ofSpaces: [Int], ofCommon: [Int])

    /// The described features of each scope that remember, each after those that it is given.
    private let withDescribedMemory: (ofSpaces: [Int], ofCommon: [Int])

    convenience init(_ blueprints: [FeatureBlueprint]) {
        self.init(
            ofSpaces: blueprints.filter { $0.place.scope == .space },
            ofCommon: blueprints.filter { $0.place.scope == .common })
    }

    /// The blueprints of each scope, in the order of their places. `removedWithRules` had rules when they were removed.
    /// What is the same in an older catalog is taken from there.
    init(
        ofSpaces: [FeatureBlueprint], ofCommon: [FeatureBlueprint], removedWithRules: Set<String> = [],
        after old: FeatureCatalog? = nil
    ) {
        self.removedWithRules = removedWithRules
        let all = ofSpaces + ofCommon
        var (variables, places, vacant) = (old?.variables ?? [:], old?.places ?? [:], old?.vacant ?? [:])
        let changed = all.filter { old?.known(at: $0.place) !== $0 }
        for blueprint in changed {
            for variable in old?.known(at: blueprint.place)?.variables ?? [] { variables[variable.key] = nil }
        }
        for blueprint in changed {
            for index in blueprint.variables.indices {
                variables[blueprint.variables[index].key] = VariablePlace(feature: blueprint.place, index: index)
            }
            if let place = places[blueprint.name], place != blueprint.place {
                // A feature that has another home now has left its old place vacant.
                vacant[blueprint.name] = blueprint.isVacant ? blueprint.place : place
                if !blueprint.isVacant { places[blueprint.name] = blueprint.place }
            } else {
                places[blueprint.name] = blueprint.place
            }
        }
        self.ofSpaces = ofSpaces
        self.ofCommon = ofCommon
        self.variables = variables
        readsSpaceName = ofSpaces.contains(where: \.readsSpaceName)
        (self.places, self.vacant) = (places, vacant)
        withOperators = (
            ofSpaces.indices.filter { ofSpaces[$0].hasOperators }, ofCommon.indices.filter { ofCommon[$0].hasOperators }
        )
        withDescribedMemory = (Self.remembering(ofSpaces, .space), Self.remembering(ofCommon, .common))
        hasRules = all.contains { $0.hasRules || !$0.viewAccess.isEmpty } || !removedWithRules.isEmpty
        hasUnkept = all.contains(where: \.hasUnkept)
        hasOpen = all.contains(where: \.isOpen)
        hasReplicas = all.contains { $0.names.replica != nil }
        hasPrivate = all.contains(where: \.hasPrivate)
        ruleClaims = (all.flatMap(\.viewAccess).map { $0?.rule } + all.map(\.readRule)).compactMap(\.self)
            .reduce(.none) { $0.union($1) }
        usedByEffects = (Self.usedByEffects(ofSpaces, .space), Self.usedByEffects(ofCommon, .common))
    }

    private static func remembering(_ blueprints: [FeatureBlueprint], _ scope: Scope) -> [Int] {
        var ordered: [Int] = []
        var seen: Set<Int> = []
        func add(_ index: Int) {
            guard seen.insert(index).inserted else { return }
            for place in blueprints[index].given where place.scope == scope { add(place.index) }
            if blueprints[index].remembersByDescription { ordered.append(index) }
        }
        for index in blueprints.indices where blueprints[index].remembersByDescription { add(index) }
        return ordered
    }

    private static func usedByEffects(_ blueprints: [FeatureBlueprint], _ scope: Scope) -> [Int] {
        var used: Set<Int> = []
        for (index, blueprint) in blueprints.enumerated() where blueprint.hasEffects {
            var next: Int? = index
            while let index = next, used.insert(index).inserted {
                next = blueprints[index].given.first.flatMap { $0.scope == scope ? $0.index : nil }
            }
        }
        return used.sorted()
    }

    /// True if a view depends on the name of its space.
    let readsSpaceName: Bool

    /// The names of the features whose definitions differ from those of another catalog, or whose views follow the state.
    package func changes(from old: FeatureCatalog) -> Set<String> {
        var names: Set<String> = []
        for scope in [Scope.space, .common] {
            let known = old.blueprints(in: scope)
            for (index, blueprint) in blueprints(in: scope).enumerated()
            where index >= known.count || known[index] !== blueprint || blueprint.isOpen {
                names.insert(blueprint.name)
            }
        }
        return names
    }

    /// The features of a scope, in the order of their registration.
    package func blueprints(in scope: Scope) -> [FeatureBlueprint] { scope == .space ? ofSpaces : ofCommon }

    /// The feature at a place.
    subscript(place: FeaturePlace) -> FeatureBlueprint { blueprints(in: place.scope)[place.index] }

    /// The feature at a place of another catalog; nil if this one does not have the place.
    func known(at place: FeaturePlace) -> FeatureBlueprint? {
        let all = blueprints(in: place.scope)
        return place.index < all.count ? all[place.index] : nil
    }

    /// The feature of a name, or the vacant place that one has left; nil if there was none.
    func blueprint(named name: String) -> FeatureBlueprint? { places[name].map { self[$0] } }

    /// The place that a feature of a name has in a scope, or had; nil if there was none.
    func place(of name: String, in scope: Scope) -> FeaturePlace? {
        [places[name], vacant[name]].compactMap(\.self).first { $0.scope == scope }
    }

    /// The indexes of the features of a scope that effects use.
    func indexesUsedByEffects(in scope: Scope) -> [Int] {
        scope == .space ? usedByEffects.ofSpaces : usedByEffects.ofCommon
    }

    /// The indexes of the features of a scope with named operators.
    func indexesWithOperators(in scope: Scope) -> [Int] {
        scope == .space ? withOperators.ofSpaces : withOperators.ofCommon
    }

    /// Returns true if a description of a feature of a scope has views that remember, or schedules.
    func remembersByDescription(in scope: Scope) -> Bool { !indexesThatRemember(in: scope).isEmpty }

    /// The indexes of the described features of a scope that remember, each after those that it is given.
    func indexesThatRemember(in scope: Scope) -> [Int] {
        scope == .space ? withDescribedMemory.ofSpaces : withDescribedMemory.ofCommon
    }

    /// Returns true if a variable holds the memory of a described feature of a scope, and its description has it no more.
    func isStaleMemory(_ variable: String, in scope: Scope) -> Bool {
        guard let name = variable.dropFirst().split(separator: ".", maxSplits: 1).first.map(String.init),
            let place = places[name], place.scope == scope, case let blueprint = blueprints(in: scope)[place.index],
            blueprint.isDescribed, !blueprint.isVacant
        else { return false }
        return !blueprint.memories.values.contains(variable)
    }

    /// Returns the earliest time up to which every space has had an alarm of a recurring schedule, of the named features
    /// or of all; nil if none recurs.
    package func latestAlarm(in scope: Scope, of names: Set<String>? = nil, after time: Timestamp) -> Timestamp? {
        guard remembersByDescription(in: scope) else { return nil }
        return blueprints(in: scope).filter { names?.contains($0.name) ?? true }
            .compactMap { $0.definition.latestAlarm(after: time) }.min()
    }

    /// The place of a variable, by its name in facts; nil if there is none.
    package func variable(_ name: String) -> VariablePlace? { variables[name] }

    /// Returns true if a variable, by its name in facts, is a table; nil if there is none.
    func changesByEntry(_ name: String) -> Bool? {
        variables[name].map {
            self[$0.feature].variables[$0.index].type.changesByEntry
        }
    }

    /// Returns true if clients can perform an action, by its name as `feature/action`, in a space of a scope.
    func hasAction(_ name: String, in scope: Scope) -> Bool {
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let place = places[parts[0]], place.scope == scope else { return false }
        return self[place].names.offers(parts[1])
    }

    /// The form of a view, or of the view that an instance is of; nil if no view model stores it.
    func form(ofView name: ViewKey) -> ViewForm? { viewPlace(name).map { self[$0.feature].viewForms[$0.index] } }

    /// Returns the one form of a view's name, which a client may have written in another: with the parameters in another
    /// order, with defaults, or encoded otherwise. A view that does not exist keeps its name.
    func viewName(_ written: ViewKey, _ key: DigestKey) throws(ParameterFault) -> ViewKey {
        guard let form = form(ofView: written) else { return written }
        guard let query = written.query else {
            return form.needsParameters ? try form.instance(of: [], key).name : written
        }
        guard let pairs = QueryText.pairs(query) else {
            throw ParameterFault("the parameters of \(form.name) do not hold UTF-8", at: form.names.first ?? "")
        }
        return try form.instance(of: pairs, key).name
    }

    /// The instance of a name in its one form; nil if there is none.
    func instance(_ name: ViewKey, _ key: DigestKey) -> ViewForm.Instance? {
        guard let query = name.query, let form = form(ofView: name), let pairs = QueryText.pairs(query),
            let instance = try? form.instance(of: pairs, key), instance.name == name
        else { return nil }
        return instance
    }

    /// Returns the instance of a view's name, with all defaults if the name has no parameters; nil if there is none.
    func wholeInstance(_ name: ViewKey, _ key: DigestKey) -> ViewForm.Instance? {
        name.isInstance ? instance(name, key) : form(ofView: name).flatMap { try? $0.instance(of: [], key) }
    }

    /// The place and the index of a view that a view model stores, or that an instance is of; nil if there is none.
    func viewPlace(_ name: ViewKey) -> (feature: FeaturePlace, index: Int)? {
        guard let place = places[name.feature], let index = self[place].viewIndexes[name.label] else { return nil }
        return (place, index)
    }

    /// The claims on which a view, or an instance of one, depends; nil if it is the same for all callers.
    package func access(ofView name: ViewKey) -> ViewAccess? {
        guard hasRules, let (place, index) = viewPlace(name) else { return nil }
        let blueprint = self[place]
        let own = blueprint.viewAccess.isEmpty ? nil : blueprint.viewAccess[index]
        let given = givenRules(of: blueprint)
        guard !given.isEmpty else { return own }
        let claims = given.compactMap { self[$0].readRule }
        return ViewAccess(
            view: own?.view, rule: claims.reduce(own?.rule ?? .none) { $0.union($1) })
    }

    /// The features that have a rule for all views, and whose state the views of a feature in Swift may read. A described
    /// feature says of each view what it reads.
    func givenRules(of blueprint: FeatureBlueprint) -> [FeaturePlace] {
        guard !blueprint.isDescribed, !blueprint.given.isEmpty else { return [] }
        return blueprint.given.filter { self[$0].readRule != nil }
    }

    /// The places of the rules of a view, as `Rejection.rule` has them; the name of the view if the state defines it.
    func rules(ofView name: ViewKey) -> [String] {
        guard let (place, index) = viewPlace(name) else { return ["\(name)"] }
        return self[place].viewRules[index]
    }

    /// Returns true if a view that a view model stores derives from nothing that is in memory only. A view that does not
    /// exist counts as kept.
    package func isKept(_ view: ViewKey) -> Bool {
        guard hasUnkept, let (place, index) = viewPlace(view) else { return true }
        return self[place].keptViews[index]
    }

    /// Returns true if a view is computed from the changes of rows, as its definition says.
    package func isMaintained(_ view: ViewKey) -> Bool {
        guard let (place, index) = viewPlace(view) else { return false }
        return self[place].maintainedViews[index]
    }

    /// Returns true if a view reads the time.
    package func readsTime(_ view: ViewKey) -> Bool {
        guard let (place, index) = viewPlace(view) else { return false }
        return self[place].timedViews[index]
    }

    /// Returns true if a view, or an instance of one, shows private members, as far as its definition says.
    package func showsPrivate(_ view: ViewKey) -> Bool {
        guard let (place, index) = viewPlace(view) else { return false }
        return self[place].privateViews[index]
    }

    /// The private places that a derivation from views and commits does not see: those that are null in the views, and the
    /// private parts of the actions' inputs.
    func hiddenPlaces(behind views: Set<ViewKey>, _ actions: Set<String>) -> Set<String> {
        guard hasPrivate else { return [] }
        var places: Set<String> = []
        for view in views {
            guard let (place, index) = viewPlace(view) else { continue }
            places.formUnion(self[place].hiddenPlaces[index])
        }
        for action in actions { places.formUnion(withheldInputs(of: action).map { "\(action)\($0)" }) }
        return places
    }

    /// The identities of the rules of all that a derivation from views and commits reads. The commits of a feature that
    /// hides them have a rule, too: the right `admin`.
    func guards(behind views: Set<ViewKey>, _ actions: Set<String>) -> Set<String> {
        guard hasRules else { return [] }
        var guards: Set<String> = []
        var waiting = views
        var seen = views
        while let view = waiting.popFirst() {
            guard let (place, index) = viewPlace(view) else { continue }
            let blueprint = self[place]
            let own = blueprint.guards[index]
            // The rules of a feature that was dropped and put again read other state.
            guards.formUnion(own.own.map { $0 + blueprint.keySuffix })
            let features = own.features.compactMap { places[$0] } + givenRules(of: blueprint)
            for place in features {
                let feature = self[place]
                if let identity = feature.readGuard { guards.insert(identity + feature.keySuffix) }
            }
            waiting.formUnion(own.views.subtracting(seen))
            seen.formUnion(own.views)
        }
        for feature in Set(actions.map(Self.feature(ofAction:))) where hidesCommits(of: feature) {
            guards.insert("changes of \(feature)")
        }
        return guards
    }

    /// Returns true if all views of a derivation exist, and all features whose commits it reads.
    func hasSources(_ views: Set<ViewKey>, _ actions: Set<String>) -> Bool {
        views.allSatisfy { viewPlace($0) != nil }
            && actions.allSatisfy { action in
                places[Self.feature(ofAction: action)].map { !self[$0].isVacant } ?? false
            }
    }

    private static func feature(ofAction name: String) -> String { String(name.prefix { $0 != "/" }) }

    /// The places of the private parts of a commit's input, which several actions can have.
    func withheldInputs(of action: String, _ input: [UInt8]?) -> [String] {
        guard action == PerformedAction.several else { return withheldInputs(of: action) }
        return PerformedAction.all(of: action, input).flatMap { part in
            let place = "/" + part.place.joined(separator: "/")
            return withheldInputs(of: part.name).map { place + $0.dropFirst("/input".count) }
        }
    }

    /// The places of the private parts of an action's input in a commit, by its name as `feature/action`.
    func withheldInputs(of action: String) -> [String] {
        if action == EditInput.action { return EditInput.valuePlaces }
        let names = action.split(separator: "/", maxSplits: 1).map(String.init)
        guard names.count == 2, let place = places[names[0]] else { return [] }
        return self[place].withheldInputs[names[1]] ?? []
    }

    /// The place of a table with presence, by its name as `feature.table`; nil if there is none.
    package func presence(_ table: String) -> (place: VariablePlace, outline: PresenceOutline)? {
        guard let place = variable(publicName: table), let outline = self[place.feature].variables[place.index].presence
        else { return nil }
        return (place, outline)
    }

    /// The place of a variable, by its name as `feature.variable`; nil if there is none.
    private func variable(publicName name: String) -> VariablePlace? {
        let feature = places[String(name.prefix { $0 != "." })]
        guard let feature, let index = self[feature].variables.firstIndex(where: { $0.name == name }) else {
            return nil
        }
        return VariablePlace(feature: feature, index: index)
    }

    /// Returns the places of the private parts of a commit, as `CommitRecord.withheld` has them. Memory can have come
    /// from any of them, so all of it is private where a feature has such parts.
    package func withheld(_ action: String, _ input: [UInt8]?, _ facts: Facts) -> [String] {
        guard hasPrivate else { return [] }
        var places = withheldInputs(of: action, input)
        var last = ""
        for fact in facts where fact.variable != last {
            last = fact.variable
            if Fact.isMemory(last) {
                if !Fact.isLevel(last), places.last != Self.memory { places.append(Self.memory) }
            } else if let variable = described(last) {
                places += variable.withheld
            }
        }
        return places
    }

    /// The variable of a fact, or the one that has the name of a variable whose state was dropped.
    private func described(_ stored: String) -> FeatureBlueprint.StateVariable? {
        (variables[stored] ?? variable(publicName: Fact.publicName(stored)))
            .map { self[$0.feature].variables[$0.index] }
    }

    private static let memory = "/memory/*"

    /// Returns the mark that a commit has in `CommitRecord.withheld` by the rules of its features; nil for none.
    package func mark(_ action: String, _ input: [UInt8]?, _ facts: Facts) -> String? {
        guard hasRules else { return nil }
        if facts.hasPart(in: action, input, ofFeature: guardsCommits(of:)) { return CommitRecord.hiddenMark }
        return facts.contains { Fact.isMemory($0.variable) && !Fact.isLevel($0.variable) }
            ? CommitRecord.hiddenMemoryMark : nil
    }

    /// Returns true if a feature, by its name, has rules, or had some when it was removed.
    private func guardsCommits(of feature: String) -> Bool {
        if removedWithRules.contains(feature) { return true }
        return places[feature].map { self[$0].hasRules } ?? false
    }

    /// The names of the tables with presence.
    var presences: [String] {
        ofSpaces.flatMap(\.variables).filter { $0.presence != nil }.map(\.name)
    }

    /// Returns true if clients without the right `admin` learn only the heads of the commits of a feature, by its name: it
    /// has rules, had some when it was removed, or is one of the server itself.
    package func hidesCommits(of feature: String) -> Bool {
        if removedWithRules.contains(feature) { return true }
        return places[feature].map { self[$0].hidesCommits } ?? false
    }

    /// The place of a feature, by its name; nil if there is none.
    package func place(ofFeature name: String) -> FeaturePlace? { places[name] }
}

/// The inputs of edits by administrators, as commits have them.
enum EditInput {
    /// The action of the commits.
    static let action = "administration/edit"
    /// The places of the values in an input. Clients see them in the changed rows only.
    static let valuePlaces = ["/input/edits/*/with", "/input/edits/*/row"]
}
