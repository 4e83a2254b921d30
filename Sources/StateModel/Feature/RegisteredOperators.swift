import JSON
import Reactive

/// The named operators of a feature, as its code declares them.
struct OperatorsOutline {
    /// The number of operators.
    var count = 0
    /// The commits that they read.
    var sources: [CommitSource] = []

    var isEmpty: Bool { count == 0 }
}

extension OperatorsOutline {
    init(of operators: NamedOperators) {
        self.init(count: operators.operators.count, sources: operators.sources)
    }
}

/// The check that all views follow from the commits of their space: that a view either follows from the present state,
/// or remembers with named operators.
struct RegisteredOperators {
    /// The sources of commits, with the feature whose view model reads them.
    private var sources: [(source: CommitSource, feature: Feature)] = []
    /// The numbers of operators of each scope.
    private var counts: [Scope: Int] = [:]

    /// Checks the named operators and the views of a feature.
    static func check(
        _ named: NamedOperators, _ exemplar: FeatureExemplar, in feature: Feature
    ) throws(RegistrationFault) {
        try checkNames(of: named, in: feature)
        try checkKinds(of: named, exemplar, in: feature)
    }

    /// Adds the named operators of a feature.
    mutating func add(_ named: OperatorsOutline, of feature: Feature) throws(RegistrationFault) {
        sources += named.sources.map { ($0, feature) }
        counts[feature.scope, default: 0] += named.count
        guard counts[feature.scope, default: 0] <= MemoryLimits.definitions else {
            throw RegistrationFault(
                "\(feature.name) has named operators beyond \(MemoryLimits.definitions), which is the limit of all features "
                    + "of a space")
        }
    }

    private static func checkNames(of named: NamedOperators, in feature: Feature) throws(RegistrationFault) {
        var names: Set<String> = []
        for one in named.operators {
            guard Registry.isName(one.name) else {
                throw RegistrationFault(
                    "\(feature.name) cannot have an operator called \"\(one.name)\": \(Registry.naming)")
            }
            guard names.insert(one.name).inserted else {
                throw RegistrationFault("\(feature.name) has two operators called \(one.name)")
            }
            if let fault = one.fault { throw RegistrationFault("\(feature.name)'s operator \(one.name): \(fault)") }
        }
    }

    private static func checkKinds(
        of named: NamedOperators, _ exemplar: FeatureExemplar, in feature: Feature
    ) throws(RegistrationFault) {
        let views = FeatureInstance.children(of: exemplar.viewModel, as: (any StoredView).self)
            .compactMap { label, stored in stored.exemplar().map { (label, $0) } }
        let graph = Graph()
        var subscriptions = named.operators.flatMap { $0.hold(in: graph) }
        subscriptions += views.map { $0.1.hold(in: graph) }
        defer { for subscription in subscriptions { subscription.cancel() } }
        var kinds = SourceKinds()
        for one in named.operators {
            for source in one.sources {
                guard case .unkept(let name) = kinds.kind(of: source) else { continue }
                throw fault("\(feature.name)'s operator \(one.name)", name)
            }
        }
        for (label, view) in views {
            guard let node = view as? Node else { continue }
            switch kinds.kind(of: node) {
            case .unkept(let name): throw fault("\(feature.name)'s view \(label)", name)
            case .events:
                throw RegistrationFault(
                    "\(feature.name)'s view \(label) shows commits, of which no memory keeps the last: end it with a named "
                        + "operator, as last(\"\(label)\")")
            case .state, .delivered: break
            }
        }
    }

    private static func fault(_ user: String, _ name: String) -> RegistrationFault {
        guard name != "\(NamedOperators.lateMaker)" else {
            return RegistrationFault(
                "\(user) uses a named operator that is not made in the initializer of the view model: make it there, and use "
                    + "it in closures")
        }
        let hint =
            named.contains(name)
            ? "give it a name, as \(name)(\"name\", …), so that the space remembers for it"
            : "keep the result in a Variable, or define a stream over the view"
        return RegistrationFault(
            "\(user) uses \(name), which remembers, so its value would depend on its subscribers: \(hint)")
    }

    /// The operators that can have a name.
    private static let named: Set<String> = [
        "allSatisfy", "collect", "compactMap", "contains", "count", "debounce", "delay", "drop", "dropFirst", "filter",
        "first", "last", "max", "merge", "min", "prefix", "reduce", "removeDuplicates", "sample", "scan", "throttle",
        "withLatestFrom", "zip",
    ]

    /// Checks that the commits that view models read can occur. `input` returns the schema of the input of an action of a
    /// scope: null for an action that only effects perform, nil if there is none.
    func checkSources(
        _ input: (ActionID, Scope) -> JSON?
    ) throws(RegistrationFault) {
        for (source, feature) in sources {
            for action in source.actions {
                let parts = action.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(
                    String.init)
                guard parts.count == 2, let schema = input(ActionID(feature: parts[0], action: parts[1]), feature.scope)
                else {
                    throw RegistrationFault(
                        "\(feature.name) reads the commits of \"\(action)\", which is no action of its spaces")
                }
                if let wanted = source.schema, schema != .null, wanted != schema {
                    throw RegistrationFault(
                        "\(feature.name) reads the commits of \(action) with another input than the action has")
                }
            }
        }
    }
}
