import JSON
import Reactive

/// The features of one space. Each is made when it is first used: by an action, a view, an effect with work, or another
/// feature that reads its state. Until then its facts stay as the journal has them.
///
/// All facts are checked when the space is loaded, so that a damaged space fails then.
package final class FeatureSet {
    /// The name of the space.
    let name: SpaceName
    package private(set) var catalog: FeatureCatalog
    /// The features of `common` beside these; nil if these are the features of `common`.
    let common: FeatureSet?
    private let time: () -> any Scheduler
    /// The time that views read.
    package let clock: SpaceClock
    /// The key of the texts that say where the windows of lists begin.
    let key: DigestKey
    /// The features that were made, by index; empty if none was.
    private(set) var instances: [FeatureInstance?] = []
    /// The facts of features that were not made.
    fileprivate var pending: [Fact] = []
    package private(set) var madeCount = 0
    /// The editions up to which the state of features was migrated, by name.
    var levels: [String: StateLevel] = [:]
    /// The state whose names in the journal are others, by feature.
    var moved: [String: StateMoves] = [:]
    /// The large tables that are migrated before the commits of their migrations, by the name of the feature.
    var migratedTables: [String: MigratedTables] = [:]
    /// The reasons that the present definitions cannot take the state of some features, by index.
    package var unmigrated: [Int: String] = [:]
    /// The memory of the operators of the space; nil if no operator has remembered anything.
    private var madeMemories: Memories?
    /// True if a feature that can have remembering definitions has facts.
    fileprivate var hasDefinitions = false
    /// True if the memory may be that of another document.
    private var mayHaveStaleMemory = false
    /// `rememberers`, until another feature is made.
    private var madeRememberers: [any Rememberer]?
    /// The views by name, for features that derive from views that they choose at run time.
    package var views: SpaceViews {
        if let madeViews { return madeViews }
        let views = SpaceViews(of: self, beside: common?.views, time: time)
        madeViews = views
        return views
    }
    private var madeViews: SpaceViews?

    /// The features of a space beside those of `common`; those of `common` itself if `common` is nil.
    package init(
        _ catalog: FeatureCatalog, of name: SpaceName = .unwritten, beside common: FeatureSet? = nil,
        key: DigestKey = DigestKey(0, 0),
        time: @escaping () -> any Scheduler = { VirtualScheduler() }, clock: SpaceClock = SpaceClock()
    ) {
        self.clock = clock
        self.name = name
        self.catalog = catalog
        self.common = common
        self.time = time
        self.key = key
    }

    package var scope: Scope { common == nil ? .common : .space }

    /// The number of features.
    var count: Int { catalog.blueprints(in: scope).count }

    /// All features. Those that were not made are made.
    package var all: [FeatureInstance] { (0..<count).map { self[$0] } }

    /// The features that were made.
    package var made: [FeatureInstance] { instances.compactMap(\.self) }

    /// The indexes that the made features have in another catalog, as far as they are there.
    package func indexesOfMade(in catalog: FeatureCatalog) -> [Int] {
        made.compactMap { feature in
            catalog.blueprint(named: feature.name).flatMap { $0.place.scope == scope ? $0.place.index : nil }
        }
    }

    /// Releases what only performing actions needs.
    package func trim() {
        for instance in instances { instance?.trim() }
    }

    /// The estimated bytes of the indexes of features.
    package var indexBytes: Int { instances.reduce(0) { $0 + ($1?.indexBytes ?? 0) } }

    /// The bytes of the facts of features that were not made.
    package var pendingBytes: Int { pending.reduce(madeMemories?.size ?? 0) { $0 + $1.size } }

    /// The size of the state of features that were not made.
    package var pendingSize: SpaceSize {
        let blueprints = catalog.blueprints(in: scope)
        return SpaceSize.size(of: pending) { name in
            guard let place = catalog.variable(name) else { return false }
            return place.feature.scope == scope
                && blueprints[place.feature.index].variables[place.index].type.changesByEntry
        }
    }

    /// True if no feature was made and no fact was taken.
    package var isNew: Bool { madeCount == 0 && pending.isEmpty }

    // MARK: Making

    /// The feature of an index, which is made if it was not.
    package subscript(index: Int) -> FeatureInstance {
        if index < instances.count, let made = instances[index] { return made }
        do throws(JSONError) {
            return try make(index)
        } catch {
            // `restore` has read the same bytes by the same code.
            preconditionFailure("facts that were checked cannot be read: \(error)")
        }
    }

    /// Takes the facts of a past state, and makes all features that have some.
    package func restoreAll(_ facts: [Fact]) throws(JSONError) {
        var wanted: [Int] = []
        for fact in facts {
            if let index = place(of: fact)?.feature.index, !wanted.contains(index) { wanted.append(index) }
        }
        try restore(facts, making: wanted)
    }

    private func make(
        _ index: Int, replacing old: FeatureInstance? = nil
    ) throws(JSONError) -> FeatureInstance {
        let blueprint = catalog.blueprints(in: scope)[index]
        let instance = instance(of: blueprint, replacing: old)
        if !pending.isEmpty { try restore(instance, index) }
        if blueprint.isDescribed, old == nil { instance.fillRestored(level(of: blueprint)) }
        keep(instance, index)
        return instance
    }

    /// An instance of a feature, which none of the features refers to yet.
    fileprivate func instance(of blueprint: FeatureBlueprint, replacing old: FeatureInstance? = nil) -> FeatureInstance
    {
        let given = blueprint.given.map { place in
            place.scope == .common ? (common ?? self)[place.index] : self[place.index]
        }
        return blueprint.definition.instance(
            of: blueprint, given: given, in: FeatureSurroundings(of: self), replacing: old)
    }

    /// Adds an instance that has its state.
    private func keep(_ instance: FeatureInstance, _ index: Int) {
        add(instance, index)
        if instance.blueprint.hasOperators { instance.bindOperators(memories) }
    }

    /// Adds an instance.
    fileprivate func add(_ instance: FeatureInstance, _ index: Int) {
        if instances.isEmpty { instances = Array(repeating: nil, count: count) }
        instances[index] = instance
        madeCount += 1
        madeRememberers = nil
    }

    /// Gives a feature its facts, which are not pending any more.
    private func restore(_ instance: FeatureInstance, _ index: Int) throws(JSONError) {
        var left: [Fact] = []
        for fact in pending {
            // What no definition has now, a later one may have again.
            guard let place = place(of: fact) else {
                left.append(fact)
                continue
            }
            if place.feature.index == index {
                try instance.restore(fact, about: place.index)
            } else {
                left.append(fact)
            }
        }
        pending = left
    }

    /// Takes a catalog in which described features differ. Features that have changed are made again, and their state lives
    /// on; what a feature no longer stores waits for one that does. Precondition: no turn of the graph is under way, and
    /// `common` has adopted the catalog.
    ///
    /// Returns the features that were made again. The caller adds the defaults of their definitions.
    ///
    /// Features of the catalog that have later state, and that nobody uses, give it to those that are made again, which
    /// need no defaults then. The caller takes the rest by `follow`.
    package func adopt(_ catalog: FeatureCatalog, renewedIn other: FeatureSet? = nil) -> [FeatureInstance] {
        guard catalog !== self.catalog else { return [] }
        self.catalog = catalog
        madeRememberers = nil
        mayHaveStaleMemory = true
        unmigrated = [:]
        madeViews?.renew()
        guard !instances.isEmpty else {
            pending = other?.pending ?? renamed(pending)
            return []
        }
        instances += Array(repeating: nil, count: max(0, count - instances.count))
        var replaced: [(index: Int, old: FeatureInstance)] = []
        let blueprints = catalog.blueprints(in: scope)
        // A return of `common` to an earlier state can leave fewer features.
        func isVacant(_ index: Int) -> Bool { index >= blueprints.count || blueprints[index].isVacant }
        for (index, made) in instances.enumerated() {
            guard let made else { continue }
            if index < blueprints.count, made.blueprint === blueprints[index] {
                if made.blueprint.isOpen { made.renew() }
                if made.blueprint.hasOperators { made.bindOperators(memories) }
                continue
            }
            pending += made.facts { catalog.variable($0.key) == nil && !made.isInitial($0.key) }
            instances[index] = nil
            madeCount -= 1
            replaced.append((index, made))
        }
        pending = other?.pending ?? renamed(pending)
        instances.removeLast(max(0, instances.count - blueprints.count))
        for (index, old) in replaced where !isVacant(index) && !isMade(index) {
            do throws(JSONError) {
                _ = try make(index, replacing: other?.instance(at: index) ?? old)
            } catch {
                // A variable that is there again was checked when it was loaded, or comes from a value.
                preconditionFailure("facts that were checked cannot be read: \(error)")
            }
        }
        return replaced.compactMap { index, _ in
            !isVacant(index) && isMade(index) && other?.isMade(index) != true ? self[index] : nil
        }
    }

    /// The feature of an index, if it was made.
    private func instance(at index: Int) -> FeatureInstance? { isMade(index) ? instances[index] : nil }

    /// Takes the rest of the later state of others, after `adopt`: the features that it did not make again, of those that
    /// have changed variables, or all.
    package func follow(_ other: FeatureSet, in changed: Set<String>?, in transaction: inout Transaction) {
        (levels, moved) = (other.levels, other.moved)
        let places = changed.map { names in names.compactMap { catalog.variable($0)?.feature } }
        let indexes = places.map { places in Set(places.lazy.filter { $0.scope == self.scope }.map(\.index)) }
        for index in 0..<count where other.isMade(index) {
            let isBehind = isMade(index) ? indexes?.contains(index) != false : true
            if isBehind { self[index].become(other[index], in: &transaction) }
        }
    }

    /// The place of the variable of a fact; nil if these features do not have it.
    fileprivate func place(of fact: Fact) -> FeatureCatalog.VariablePlace? {
        catalog.variable(fact.variable).flatMap { $0.feature.scope == scope ? $0 : nil }
    }

    // MARK: Facts

    /// Takes the facts of a loaded space, and makes the features that effects have work for. Facts about variables that
    /// no feature has are ignored. Precondition: no feature was made.
    ///
    /// The features in `wanted` are about to be used. They are made at once, so that their facts are read only once.
    package func restore(_ facts: [Fact], making wanted: [Int] = []) throws(JSONError) {
        let restoration = try FactRestoration(of: facts, in: self, making: wanted)
        while !(try restoration.take(.max)) {}
    }

    /// Takes facts as `restore` does, and makes the features with many.
    package func restoreLarge(_ facts: [Fact]) throws(JSONError) {
        var counts: [Int: Int] = [:]
        for fact in facts where fact.entry != nil {
            if let index = place(of: fact)?.feature.index { counts[index, default: 0] += 1 }
        }
        try restore(facts, making: counts.filter { $0.value >= RowBuild.rowsAtLeast }.keys.sorted())
    }

    /// True if a table has so many rows that views take them in slices.
    package var hasLargeTables: Bool {
        pending.count >= RowBuild.rowsAtLeast
            || instances.contains { feature in
                feature?.variables.contains { $0.rowCount >= RowBuild.rowsAtLeast } ?? false
            }
    }

    /// Takes the facts that are memory, and returns the others.
    fileprivate func takeMemory(of facts: [Fact]) throws(JSONError) -> [Fact] {
        guard facts.contains(where: { Fact.isMemory($0.variable) }) else { return facts }
        for fact in facts where Fact.isMemory(fact.variable) { try takeMemory(fact) }
        mayHaveStaleMemory = true
        return facts.filter { !Fact.isMemory($0.variable) }
    }

    private func takeMemory(_ fact: Fact) throws(JSONError) {
        // The space itself keeps the last actions of clients.
        if fact.isOfQueue { return }
        guard Fact.isLevel(fact.variable) else { return try memories.restore(fact) }
        levels[String(fact.variable.dropFirst(2))] = try fact.value.map { bytes throws(JSONError) in
            StateLevel(try JSON(parsing: bytes))
        }
    }

    /// The names of the variables of a feature that wait for a definition that declares them.
    func waitingLabels(of blueprint: FeatureBlueprint) -> Set<String> {
        let (prefix, suffix) = (blueprint.name + ".", blueprint.keySuffix)
        var labels: Set<String> = []
        for fact in pending where fact.variable.hasPrefix(prefix) && fact.variable.hasSuffix(suffix) {
            let label = fact.variable.dropFirst(prefix.count).dropLast(suffix.count)
            if !label.utf8.contains(UInt8(ascii: "~")), place(of: fact) == nil { labels.insert(String(label)) }
        }
        return labels
    }

    /// The facts that wait of a variable that no definition declares.
    func waitingFacts(of variable: String) -> [Fact] { pending.filter { $0.variable == variable } }

    /// The number of entries of tables of a feature that was not made.
    func waitingEntryCount(ofFeature name: String) -> Int {
        let prefix = name + "."
        return pending.count { $0.entry != nil && $0.variable.hasPrefix(prefix) }
    }

    /// Removes the facts that wait of variables that satisfy a condition, and returns the variables that had a value.
    package func removePending(where isDropped: (String) -> Bool) -> [String] {
        var variables: [String] = []
        pending.removeAll { fact in
            guard isDropped(fact.variable) else { return false }
            if !fact.isEmptyState, !variables.contains(fact.variable) { variables.append(fact.variable) }
            return true
        }
        return variables
    }

    /// Writes a fact. One about a variable that no feature has is ignored. Memory is shown by `showMemory` afterwards.
    package func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError) {
        if Fact.isMemory(fact.variable) { return try takeMemory(fact) }
        guard let place = place(of: fact) else { return }
        try self[place.feature.index].take(fact, about: place.index, in: &transaction)
    }

    /// Writes a fact if it is about a feature that effects use.
    package func takeForEffects(_ fact: Fact, in transaction: inout Transaction) throws(JSONError) {
        guard let place = place(of: fact),
            catalog.indexesUsedByEffects(in: scope).contains(place.feature.index)
        else { return }
        try self[place.feature.index].take(fact, about: place.index, in: &transaction)
    }

    /// Copies the state of other features of the same scope.
    package func become(_ other: FeatureSet, in transaction: inout Transaction) {
        become(other, Array(0..<count), in: &transaction)
    }

    /// Copies the state of those features that effects use.
    package func becomeForEffects(_ other: FeatureSet, in transaction: inout Transaction) {
        become(other, catalog.indexesUsedByEffects(in: scope), in: &transaction)
    }

    private func become(_ other: FeatureSet, _ indexes: [Int], in transaction: inout Transaction) {
        // A feature that neither has made needs no instance: its facts are copied as they are.
        let facts = other.pending.filter { fact in
            guard let place = place(of: fact) else { return true }
            return indexes.contains(place.feature.index) && !isMade(place.feature.index)
        }
        let copied = indexes.filter { isMade($0) || other.isMade($0) }
        pending = facts
        for index in copied { self[index].become(other[index], in: &transaction) }
    }

    /// Writes the memory of other features of the same scope in the place of this one.
    package func changeMemory(to past: FeatureSet) {
        memories.change(to: past.madeMemories)
        mayHaveStaleMemory = true
    }

    /// Removes the memory of views that the present documents do not have.
    package func removeStaleMemory() {
        guard mayHaveStaleMemory else { return }
        mayHaveStaleMemory = false
        madeMemories?.remove { catalog.isStaleMemory($0, in: scope) }
    }

    /// Returns what finds, in slices, the rows of large tables that differ from those of other features of the same scope.
    package func differences(from past: FeatureSet) -> [any SlicedIndex] {
        var differences: [any SlicedIndex] = []
        forEachKept(beside: past) { own, other in
            if let difference = own.difference(from: other) { differences.append(difference) }
        }
        return differences
    }

    /// Writes the kept state of other features of the same scope: of tables, the rows that differ. The work of effects
    /// stays as it is.
    package func change(
        to past: FeatureSet, by differences: [any SlicedIndex] = [], in transaction: inout Transaction
    ) {
        forEachKept(beside: past) { own, other in own.change(to: other, by: differences, in: &transaction) }
    }

    /// Calls `body` with each kept variable, but for the work of effects, and that of other features of the same scope.
    private func forEachKept(
        beside past: FeatureSet, _ body: (_ own: any PersistentState, _ other: any PersistentState) -> Void
    ) {
        let blueprints = catalog.blueprints(in: scope)
        for index in blueprints.indices where isKept(index) || past.isKept(index) {
            let (own, others) = (self[index], past[index])
            for (place, variable) in blueprints[index].variables.enumerated() where !variable.isWork && variable.isKept
            {
                if let other = others.state(named: variable.key) { body(own.variables[place], other) }
            }
        }
    }

    /// True if a feature was made or has facts.
    package func isKept(_ index: Int) -> Bool {
        isMade(index) || pending.contains { place(of: $0)?.feature.index == index }
    }

    package func isMade(_ index: Int) -> Bool { index < instances.count && instances[index] != nil }

    // MARK: Memory

    /// The memory of the operators of the space.
    package var memories: Memories {
        if let madeMemories { return madeMemories }
        let memories = Memories()
        madeMemories = memories
        return memories
    }

    /// Returns true if the memory of other features of the same scope is that of these.
    package func hasMemory(of past: FeatureSet) -> Bool { memories.isEqual(to: past.memories) }

    /// True if an operator of the space has remembered something.
    package var hasMemory: Bool { madeMemories.map { !$0.isEmpty } ?? false }

    /// True if a feature that can have remembering definitions has facts, but no operator of the space has remembered
    /// anything: a program without memory may have made the commits.
    package var mayLackMemory: Bool { hasDefinitions && !hasMemory }

    /// True if a feature has named operators, which remember from the first commit on.
    package var hasOperators: Bool { !catalog.indexesWithOperators(in: scope).isEmpty }

    /// The named operators of all features, then those of described features, each feature after those that it is given,
    /// then the remembering definitions of the features that have facts. These features are made. Each may derive from
    /// what those before it remember.
    package var rememberers: [any Rememberer] {
        if let madeRememberers { return madeRememberers }
        let blueprints = catalog.blueprints(in: scope)
        let operators = catalog.indexesWithOperators(in: scope).compactMap { self[$0].operators }
        let described = catalog.indexesThatRemember(in: scope)
        let definitions = blueprints.indices.filter {
            blueprints[$0].canRemember && !blueprints[$0].remembersByDescription && isKept($0)
        }
        let rememberers: [any Rememberer] = operators + (described + definitions).flatMap { self[$0].rememberers }
        madeRememberers = rememberers
        return rememberers
    }

    /// Takes the memory of other features of the same scope, as the journal has it.
    package func becomeMemory(of other: FeatureSet) {
        guard madeMemories != nil || other.madeMemories != nil else { return }
        memories.become(other.memories)
    }

    /// Delivers the values of definitions after facts of their memory were taken, in a turn of the graph.
    package func showMemory(in graph: Graph) {
        guard madeMemories != nil else { return }
        for feature in made {
            feature.operators?.refresh(in: graph)
            guard feature.blueprint.canRemember else { continue }
            for rememberer in feature.rememberers { rememberer.refresh(in: graph) }
        }
    }

    /// Returns true if a view, or an instance of one, may change with a commit of `common`.
    func dependsOnCommon(_ view: ViewKey) -> Bool {
        guard let place = catalog.place(ofFeature: view.feature) else { return true }
        return place.scope == .common
            || catalog.blueprints(in: .space)[place.index].given.contains { $0.scope == .common }
    }

    /// Returns true if clients can perform an action in the space, by its name as `feature/action`.
    func hasAction(_ name: String) -> Bool { catalog.hasAction(name, in: scope) }

    // MARK: Effects

    /// True if a feature has work for its effects. A feature that was not made has none.
    package var hasWork: Bool {
        if instances.isEmpty { return false }
        for index in catalog.indexesUsedByEffects(in: scope) {
            if let instance = instances[index], instance.hasWork { return true }
        }
        return false
    }

    /// True if there is work before the first commit of a space.
    var beginsWithWork: Bool { catalog.blueprints(in: scope).contains(where: \.beginsWithWork) }

    /// The features with effects.
    package var withEffects: [FeatureInstance] {
        let blueprints = catalog.blueprints(in: scope)
        return blueprints.indices.filter { blueprints[$0].hasEffects }.map { self[$0] }
    }
}

// The views that depend on the caller, and the rules of views.

extension FeatureSet {
    /// The view of a name for a viewer, or the answer of its rules.
    private func view(_ name: ViewKey, _ kind: ViewKey.Kind, for viewer: Viewer) -> (any View)? {
        switch kind {
        case .rule: return answer(ofRulesOf: name, for: viewer)
        case .view:
            guard let (place, index) = viewPlace(name), let instance = wholeInstance(name) else { return nil }
            return self[place.index].view(index, of: instance, for: viewer, key)
        }
    }

    /// The answer of the rules of a view for a viewer; nil if these features do not have the view, or it has no rule.
    package func answer(ofRulesOf view: ViewKey, for viewer: Viewer) -> Observable<Bool>? {
        if let (place, index) = viewPlace(view) {
            guard let instance = wholeInstance(view) else { return nil }
            let own = self[place.index].answer(index, of: instance.parameters, for: viewer)
            let given = catalog.givenRules(of: catalog.blueprints(in: scope)[place.index])
            return Self.all([own] + given.map { answer(ofRuleOf: $0, for: viewer) })
        }
        return openIndex(ofView: view).flatMap { self[$0].openAnswer(view.openLabel, for: viewer) }
    }

    /// The answer of the rule of all views of a feature for a viewer; nil if it has none.
    func answer(ofRuleOf place: FeaturePlace, for viewer: Viewer) -> Observable<Bool>? {
        guard place.scope != scope else { return self[place.index].answer(ofFeature: viewer) }
        return common?[place.index].answer(ofFeature: viewer.inCommon)
    }

    private static func all(_ answers: [Observable<Bool>?]) -> Observable<Bool>? {
        let answers = answers.compactMap(\.self)
        return answers.count < 2 ? answers.first : combineLatest(answers).map { $0.allSatisfy(\.self) }
    }
}

// The views of the features of a space, by name.

extension FeatureSet {
    /// The index of the feature that a view belongs to; nil if these features do not have it.
    package func index(ofView name: ViewKey) -> Int? {
        catalog.place(ofFeature: name.feature).flatMap { $0.scope == scope ? $0.index : nil }
    }

    /// Returns the one form of a view's name.
    package func viewName(_ written: ViewKey) throws(ParameterFault) -> ViewKey { try catalog.viewName(written, key) }

    /// The view of a name, as `feature.view`, or the instance of one, if a view model stores it.
    package func namedView(_ name: ViewKey) -> (any View)? {
        if let kind = name.kind, let viewer = name.viewer {
            return catalog.hasRules ? view(name.known, kind, for: viewer) : nil
        }
        guard let place = catalog.place(ofFeature: name.feature), place.scope == scope else { return nil }
        if !unmigrated.isEmpty, let reason = unmigrated[place.index] {
            return Observable<JSON>.failed(UnmigratedState(description: reason))
        }
        let blueprint = catalog.blueprints(in: scope)[place.index]
        guard name.isInstance else { return self[place.index].view(name.label) }
        guard let index = blueprint.viewIndexes[name.label], let instance = catalog.instance(name, key) else {
            return nil
        }
        return self[place.index].view(index, of: instance, key)
    }

    /// The place and the index of a view of these features, or of the one that an instance is of.
    package func viewPlace(_ name: ViewKey) -> (feature: FeaturePlace, index: Int)? {
        catalog.viewPlace(name).flatMap { $0.feature.scope == scope ? $0 : nil }
    }

    /// The instance of a view's name, with all defaults if the name has no parameters.
    func wholeInstance(_ name: ViewKey) -> ViewForm.Instance? { catalog.wholeInstance(name, key) }

    /// The index of the open feature that a view belongs to; nil if it belongs to none of these.
    package func openIndex(ofView name: ViewKey) -> Int? {
        index(ofView: name).flatMap { catalog.blueprints(in: scope)[$0].isOpen ? $0 : nil }
    }

    /// True if a view depends on the caller, or a feature has rules.
    var hasRules: Bool { catalog.hasRules }

    /// Returns true if a feature, by its name, has rules.
    func hidesCommits(of feature: String) -> Bool { catalog.hidesCommits(of: feature) }

    /// The view of a name, as `feature.view`, also one that the state defines.
    package func view(_ name: ViewKey) -> (any View)? {
        // A caller that needs the reason asks `openView` before.
        namedView(name) ?? (try? openView(name))
    }

    /// The view of a name that the state defines. The error is the reason that there is none.
    package func openView(_ name: ViewKey) throws(MissingView) -> (any View)? {
        guard let index = openIndex(ofView: name) else { return nil }
        return try self[index].openView(name.openLabel)
    }
}

/// The way of the facts of a loaded space into its features, a slice at a time.
///
/// The facts of the features that are about to be used go into their instances, which nobody uses before the last slice.
/// All others are checked, and wait as they are.
package final class FactRestoration {
    /// The facts of a slice.
    package static let sliceFacts = 2_048

    private let features: FeatureSet
    private let facts: [Fact]
    /// The features that are about to be used, by index, and the variables of each that have facts.
    private var made: [Int: (instance: FeatureInstance, known: Set<Int>)] = [:]
    private var wanted: Set<Int>
    /// The features with facts, each with whether it is outdated. Those are made too, because they are about to be migrated.
    private var outdated: [Int: Bool] = [:]
    private var isOpen = false
    private var busy: [Int] = []
    private var checked = 0
    private var restored = 0
    private var filled = 0

    /// Precondition: no feature was made, and no fact was taken.
    package init(of facts: [Fact], in features: FeatureSet, making wanted: [Int]) throws(JSONError) {
        assert(features.isNew, "features were made before their facts came")
        (self.features, self.wanted) = (features, facts.isEmpty ? [] : Set(wanted))
        self.facts = features.renamed(try features.takeMemory(of: facts))
    }

    /// Takes the next facts. Returns true once all are there.
    package func take(_ count: Int) throws(JSONError) -> Bool {
        if checked < facts.count {
            try check(facts[checked...].prefix(count))
            guard count == .max else { return false }
        }
        if !isOpen { open() }
        if restored < facts.count, !made.isEmpty {
            let slice = facts[restored...].prefix(count)
            restored += slice.count
            for fact in slice {
                guard let place = features.place(of: fact) else { continue }
                try made[place.feature.index]?.instance.restore(fact, about: place.index)
            }
            guard count == .max else { return false }
        }
        if filled < facts.count, made.contains(where: { $0.value.instance.blueprint.isDescribed }) {
            let slice = facts[filled...].prefix(count)
            filled += slice.count
            for fact in slice { fill(fact) }
            guard count == .max else { return false }
        }
        end()
        return true
    }

    private func check(_ slice: ArraySlice<Fact>) throws(JSONError) {
        checked += slice.count
        let blueprints = features.catalog.blueprints(in: features.scope)
        for fact in slice {
            guard let place = features.place(of: fact) else { continue }
            let index = place.feature.index
            let variable = blueprints[index].variables[place.index]
            if !wanted.contains(index) { try variable.type.check(fact) }
            if blueprints[index].canRemember { features.hasDefinitions = true }
            if blueprints[index].level > 0, outdated[index] == nil { outdated[index] = features.isOutdated(index) }
            if variable.isWork, !fact.isEmptyState, !busy.contains(index) { busy.append(index) }
        }
    }

    /// Makes the instances, each after those that it is given. Other features that they are given are made with their facts.
    private func open() {
        isOpen = true
        wanted.formUnion(outdated.filter(\.value).keys)
        features.pending = facts.filter { fact in
            guard let index = features.place(of: fact)?.feature.index else { return true }
            return !wanted.contains(index)
        }
        var seen: Set<Int> = []
        for index in wanted.sorted() { make(index, &seen) }
    }

    private func make(_ index: Int, _ seen: inout Set<Int>) {
        guard seen.insert(index).inserted else { return }
        let blueprint = features.catalog.blueprints(in: features.scope)[index]
        for given in blueprint.given where given.scope == features.scope { make(given.index, &seen) }
        guard wanted.contains(index) else { return }
        let instance = features.instance(of: blueprint)
        made[index] = (instance, [])
        features.add(instance, index)
    }

    private func fill(_ fact: Fact) {
        guard let place = features.place(of: fact), let feature = made[place.feature.index],
            feature.instance.blueprint.isDescribed
        else { return }
        made[place.feature.index]?.known.insert(place.index)
        feature.instance.fillRestored(features.level(of: feature.instance.blueprint), place.index, row: fact.entry)
    }

    private func end() {
        for feature in made.values {
            let blueprint = feature.instance.blueprint
            if blueprint.isDescribed {
                let level = features.level(of: blueprint)
                for place in blueprint.variables.indices where !feature.known.contains(place) {
                    feature.instance.fillRestored(level, place, row: nil)
                }
            }
        }
        for index in made.keys.sorted() {
            if let instance = made[index]?.instance, instance.blueprint.hasOperators {
                instance.bindOperators(features.memories)
            }
        }
        for index in busy { _ = features[index] }
        let blueprints = features.catalog.blueprints(in: features.scope)
        for index in blueprints.indices where blueprints[index].beginsWithWork { _ = features[index] }
    }
}
