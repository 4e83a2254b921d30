import JSON
import Reactive

/// A feature in one space.
final class FeatureInstance {
    let name: String
    /// Its pieces of state, by name, in the order in which the state declares them.
    let variables: [(name: String, stored: any PersistentState)]
    /// The tables that begin with rows of which the journal knows nothing yet: what is kept first of one is all that it
    /// has.
    private var unkept: Set<String>
    private let parts: Feature.Parts
    /// The variables of the last commit.
    private var lastChanged: [String] = []
    /// The pieces of state that are work for its effects while there is something in them.
    private let work: [any PersistentState]

    /// Its actions, in the order in which the service declares them; it is made when the first is asked for.
    private(set) lazy var actions: [any AnyAction] = Self.children(of: parts.makeService(), as: (any AnyAction).self)
        .map(\.1)
    /// The closures of the actions, in the same order: they are quicker to call.
    private var deeds: [ActionClosures] = []

    /// Its views, by name; the view model is made when the first is asked for.
    private(set) lazy var views: [String: any View] = Dictionary(
        Self.children(of: viewModel, as: (any View).self), uniquingKeysWith: { first, _ in first })
    private lazy var viewModel = parts.makeViewModel()

    init(_ feature: Feature, _ parts: Feature.Parts, work: Set<String> = []) {
        name = feature.name
        self.parts = parts
        variables = Self.children(of: parts.state, as: (any PersistentState).self).map {
            ("\(feature.name).\($0.0)", $0.1)
        }
        unkept = Set(variables.filter { $0.stored.hasRows }.map(\.name))
        self.work = work.isEmpty ? [] : variables.filter { work.contains($0.name) }.map(\.stored)
    }

    /// True if it can have work for its effects.
    var hasEffects: Bool { !work.isEmpty }

    /// True if it has work for its effects now.
    var hasWork: Bool { work.contains { !$0.isEmptyState } }

    /// Its effects, made anew, by name.
    func effects(_ outside: Outside) -> [(name: String, effect: Effect)] {
        guard hasEffects, let effects = parts.makeEffects(outside) else { return [] }
        return Self.children(of: effects, as: Effect.self).map { ("\(name).\($0.0)", $0.1) }
    }

    /// Performs the action at a place, with an input that is JSON.
    func act(_ place: Int, _ input: [UInt8]?, _ tree: InputTree?, _ commit: inout Commit) throws(Rejection) {
        if deeds.isEmpty { deeds = actions.map { ActionClosures(run: $0.run, runTree: $0.runTree) } }
        // Unmanaged, because reading an element of an array and calling it would count references. The bodies stay for
        // as long as this instance.
        try Unmanaged.passUnretained(deeds[place])._withUnsafeGuaranteedRef { deed in
            do throws(Rejection) {
                if let tree, let runTree = deed.runTree {
                    try runTree(tree.json, &commit)
                } else {
                    try deed.run(input, &commit)
                }
                return Result<Void, Rejection>.success(())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// The closure of an action.
    private final class ActionClosures {
        let run: ([UInt8]?, inout Commit) throws(Rejection) -> Void
        let runTree: ((JSON, inout Commit) throws(Rejection) -> Void)?

        init(
            run: @escaping ([UInt8]?, inout Commit) throws(Rejection) -> Void,
            runTree: ((JSON, inout Commit) throws(Rejection) -> Void)?
        ) {
            self.run = run
            self.runTree = runTree
        }
    }

    /// The facts of the open transaction, after `dropUnchanged`.
    func facts() throws(Rejection) -> Facts {
        var facts = Facts()
        do throws(JSONError) {
            for index in variables.indices where variables[index].stored.isWritten {
                let (name, stored) = variables[index]
                try stored.appendFacts(named: name, asWhole: !unkept.isEmpty && unkept.contains(name), to: &facts)
            }
        } catch {
            throw Rejection(.invalid, "the result cannot be kept: \(error.reason)")
        }
        return facts
    }

    /// The variables that facts are about, each once. Actions change the same again and again, and are answered with
    /// the same array then.
    func changed(by facts: Facts) -> [String] {
        if lastChanged.count != facts.count || !facts.indices.allSatisfy({ facts.variable(at: $0) == lastChanged[$0] })
        {
            lastChanged = facts.variables
        }
        return lastChanged
    }

    /// Notes that facts are kept, or about to be.
    func noteKept(_ facts: Facts) {
        guard !unkept.isEmpty else { return }
        for fact in facts where fact.entry == nil { unkept.remove(fact.variable) }
    }

    /// Writes what a fact says, if it is about this feature.
    fileprivate func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError) -> Bool {
        guard let variable = variables.first(where: { $0.name == fact.variable }) else { return false }
        try variable.stored.take(fact, in: &transaction)
        noteKept([fact])
        return true
    }

    /// Writes all that is so in another instance of this feature.
    func become(_ other: FeatureInstance, in transaction: inout Transaction) {
        for (one, another) in zip(variables, other.variables) { one.stored.become(another.stored, in: &transaction) }
    }

    /// The view of a name as `feature.view`, if it is one that the view model stores.
    func view(of name: String) -> (any View)? {
        label(in: name).flatMap { views[$0] }
    }

    /// The view of a name that the view model does not store, if it is one of this feature; why there is none is
    /// thrown.
    func openView(of name: String) throws(MissingView) -> (any View)? {
        guard let label = label(in: name), views[label] == nil, let model = viewModel as? any OpenViewModel else {
            return nil
        }
        return try model.view(label)
    }

    /// The part of a name after the name of this feature and a dot.
    private func label(in name: String) -> String? {
        name.hasPrefix(self.name + ".") ? String(name.dropFirst(self.name.count + 1)) : nil
    }

    /// The stored properties of a value that are of a kind, by name.
    static func children<Kind>(of value: Any, as kind: Kind.Type) -> [(String, Kind)] {
        Mirror(reflecting: value).children.compactMap { child in
            guard let label = child.label, let value = child.value as? Kind else { return nil }
            return (label, value)
        }
    }

    /// The names under which a value stores something that is not of a kind.
    static func strangers<Kind>(in value: Any, to kind: Kind.Type) -> [String] {
        Mirror(reflecting: value).children.compactMap { $0.value is Kind ? nil : $0.label }
    }
}

extension [FeatureInstance] {
    /// Writes what a fact says. One about a variable that there is no longer says nothing.
    func take(_ fact: Fact, in transaction: inout Transaction) throws(JSONError) {
        for feature in self {
            if try feature.take(fact, in: &transaction) { return }
        }
    }

    /// The view of a name, as `feature.view`.
    func view(_ name: String) -> (any View)? {
        for feature in self {
            if let view = feature.view(of: name) { return view }
        }
        // Whoever wants to know why there is none asks before.
        return try? openView(name)
    }

    /// The view of a name that no view model stores; why there is none is thrown.
    func openView(_ name: String) throws(MissingView) -> (any View)? {
        for feature in self {
            if let view = try feature.openView(of: name) { return view }
        }
        return nil
    }
}
