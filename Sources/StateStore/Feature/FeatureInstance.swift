import JSON
import Reactive

/// A feature in one space: its variables and, once they are needed, its actions and its views.
class FeatureInstance {
    final let blueprint: FeatureBlueprint
    /// The variables and tables, in the order of `blueprint.variables`.
    final let variables: [any PersistentState]
    /// The indexes of the tables that begin with rows of which the journal knows nothing yet. The first fact of such a
    /// table is its whole.
    private final var unkept: Set<Int> = []
    /// The variables of the last commit, if it changed several.
    private final var lastChanged: [String] = []
    private final var actions: [ActionClosures] = []
    private final var viewModel: MadeViewModel?

    /// The views that were made, and the model itself if the state defines further views.
    private final class MadeViewModel {
        let views: [any StoredView]
        let open: (any OpenViewModel)?
        let operators: NamedOperators?

        init(_ views: [any StoredView], _ open: (any OpenViewModel)?, _ operators: NamedOperators?) {
            self.views = views
            self.open = open
            self.operators = operators
        }
    }

    init(_ blueprint: FeatureBlueprint, variables: [any PersistentState]) {
        self.blueprint = blueprint
        self.variables = variables
        for index in variables.indices where blueprint.variables[index].beginsWithRows { unkept.insert(index) }
    }

    final var name: String { blueprint.name }

    // MARK: Parts that a subclass makes

    func makeService() -> any StateService { preconditionFailure("a subclass makes the service") }
    func makeActions() -> [ActionClosures] { preconditionFailure("a subclass makes the actions") }
    func makeViews() -> ([any StoredView], (any OpenViewModel)?) { preconditionFailure("a subclass makes the views") }
    func makeEffects(_ outside: Outside) -> (any Effects)? { preconditionFailure("a subclass makes the effects") }

    // MARK: Effects

    /// True if it has work for its effects now.
    final var hasWork: Bool { blueprint.work.contains { !variables[$0].isEmptyState } }

    /// Its effects, made anew, by name.
    final func effects(_ outside: Outside) -> [(name: String, effect: Effect)] {
        guard blueprint.hasEffects, let effects = makeEffects(outside) else { return [] }
        return Self.children(of: effects, as: Effect.self).map { ("\(name).\($0.0)", $0.1) }
    }

    // MARK: Actions

    /// Performs the action of an index, with an input in JSON.
    final func act(
        _ index: Int, _ input: [UInt8]?, _ tree: InputTree?, _ commit: inout Commit
    ) throws(Rejection) {
        if actions.isEmpty { actions = makeActions() }
        // Unmanaged, because reading an element of an array and calling it would count references. The closures live as
        // long as this instance.
        try Unmanaged.passUnretained(actions[index])._withUnsafeGuaranteedRef { action in
            do throws(Rejection) {
                if let tree, let runTree = action.runTree {
                    try runTree(tree.json, &commit)
                } else {
                    try action.run(input, &commit)
                }
                return Result<Void, Rejection>.success(())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Releases the closures of the actions, which the next action makes again. Precondition: no action is performed.
    final func trim() {
        actions = []
        lastChanged = []
    }

    /// The facts of the open transaction, after `dropUnchanged`.
    final func facts() throws(Rejection) -> Facts {
        var facts = Facts()
        do throws(JSONError) {
            for index in variables.indices where variables[index].isWritten {
                try variables[index].appendFacts(
                    named: blueprint.variables[index].name, asWhole: !unkept.isEmpty && unkept.contains(index),
                    to: &facts)
            }
        } catch {
            throw Rejection(.invalid, "the result cannot be kept: \(error.reason)")
        }
        return facts
    }

    /// The variables that facts are about, each once. Successive actions often change the same variables; then the same
    /// array is returned.
    final func changed(by facts: Facts) -> [String] {
        if facts.count == 1 {
            let name = facts.variable(at: 0)
            for variable in blueprint.variables where variable.name == name { return variable.alone }
        }
        if lastChanged.count != facts.count || !facts.indices.allSatisfy({ facts.variable(at: $0) == lastChanged[$0] })
        {
            lastChanged = facts.variables
        }
        return lastChanged
    }

    // MARK: Facts

    /// Notes that facts are stored, or about to be.
    final func noteKept(_ facts: Facts) {
        guard !unkept.isEmpty else { return }
        for fact in facts where fact.entry == nil {
            if let index = blueprint.variables.firstIndex(where: { $0.name == fact.variable }) { unkept.remove(index) }
        }
    }

    /// Writes a fact about the variable of an index.
    final func take(_ fact: Fact, about index: Int, in transaction: inout Transaction) throws(JSONError) {
        try variables[index].take(fact, in: &transaction)
        if fact.entry == nil { unkept.remove(index) }
    }

    /// Takes a fact about the variable of an index, outside of any turn. Precondition: nobody has used this instance.
    final func restore(_ fact: Fact, about index: Int) throws(JSONError) {
        try variables[index].restore(fact)
        if fact.entry == nil { unkept.remove(index) }
    }

    /// Copies the state of another instance of this feature.
    final func become(_ other: FeatureInstance, in transaction: inout Transaction) {
        for (own, others) in zip(variables, other.variables) { own.become(others, in: &transaction) }
    }

    // MARK: Views

    private final var madeViewModel: MadeViewModel {
        if let viewModel { return viewModel }
        let operators =
            blueprint.hasOperators ? NamedOperators(of: name, dependsOnCommon: blueprint.dependsOnCommon) : nil
        let (views, open) = operators == nil ? makeViews() : NamedOperators.collect(into: operators) { makeViews() }
        let made = MadeViewModel(views, open, operators)
        viewModel = made
        return made
    }

    /// The view of a name in this feature, if the view model stores it; nil if it has required parameters.
    final func view(_ label: String) -> (any View)? {
        blueprint.viewIndexes[label].flatMap { madeViewModel.views[$0].view }
    }

    /// Makes an instance of the view of an index.
    final func view(_ index: Int, of instance: ViewForm.Instance, _ key: DigestKey) -> (any View)? {
        // The form of the view has read the same parameters by the same code.
        try? madeViewModel.views[index].view(of: instance, named: blueprint.viewForms[index].name, key)
    }

    /// The view of a name in this feature that the state defines; nil if the view model stores a view of that name, or
    /// if the state never defines views. The error is the reason that the state does not define the view.
    final func openView(_ label: String) throws(MissingView) -> (any View)? {
        guard blueprint.isOpen, blueprint.viewIndexes[label] == nil else { return nil }
        return try madeViewModel.open?.view(label)
    }

    /// The named operators of its view model, once `bindOperators` has given them a memory.
    final var operators: NamedOperators? { viewModel?.operators }

    /// Makes the view model, and gives its named operators what the space remembers.
    final func bindOperators(_ memories: Memories) {
        madeViewModel.operators?.bind(memories)
    }

    /// The definitions of its state that remember; nil if its state never has some.
    final var rememberer: (any Rememberer)? {
        (madeViewModel.open as? any RememberingViewModel)?.rememberer
    }

    /// The stored properties of a value that are of a kind, by name.
    static func children<Kind>(of value: Any, as kind: Kind.Type) -> [(String, Kind)] {
        Mirror(reflecting: value).children.compactMap { child in
            guard let label = child.label, let value = child.value as? Kind else { return nil }
            return (label, value)
        }
    }
}
