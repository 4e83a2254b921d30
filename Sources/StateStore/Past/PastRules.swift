import Reactive

/// The rules of then: the rules of the definitions that made a value of the past, for the reader of a permit.
///
/// The rules of now, which the permit names, are asked by the store. They say nothing about definitions that were
/// replaced or removed since. A view of a replaced document has the rules of then, on the state of then. A view that the
/// state defines has the rules that its sources of then have now. If later definitions show a version that they never
/// showed then, those recorded with the version have their say, too.
struct PastRules {
    private let permit: ReadPermit
    private let context: PastContext
    /// The present state, with the rules of now; nil before a rule was asked.
    private var present: PastSpace?

    init(_ permit: ReadPermit, _ context: PastContext) {
        self.permit = permit
        self.context = context
    }

    /// Returns the views of the permit that the rules of then do not let the reader read at the moment of a past space,
    /// as indices of its names.
    mutating func forbidden(in past: PastSpace) throws(PastRefusal) -> [Int] {
        guard past.hasRules || context.registry.hasRules else { return [] }
        var forbidden: [Int] = []
        for (index, name) in permit.names.enumerated() where try !allow(name, in: past) { forbidden.append(index) }
        return forbidden
    }

    /// Returns true if the rules of then and of now let the reader read all views of the permit. Used where no store asks
    /// the rules of now.
    mutating func allowNow(in past: PastSpace) throws(PastRefusal) -> Bool {
        guard past.hasRules || context.registry.hasRules else { return true }
        for name in permit.names {
            guard try allow(name, in: past), holds(name, in: past), try holdsNow(name) else { return false }
        }
        return true
    }

    private mutating func allow(_ view: ViewKey, in past: PastSpace) throws(PastRefusal) -> Bool {
        guard let derivation = past.derivation(of: view) else {
            guard past.holdsRecorded(rulesOf: view, for: permit.viewer) else { return false }
            return !past.isRedefined(view) || holds(view, in: past)
        }
        let registry = context.registry
        func isClosed(_ action: String) -> Bool {
            let feature = String(action.prefix { $0 != "/" })
            return registry.hidesCommits(of: feature) || past.hidesCommits(of: feature)
                || past.recorded?.hidesCommits(of: feature) ?? false
        }
        if !permit.viewer.isAdmin, derivation.actions.contains(where: isClosed) { return false }
        for source in derivation.views.sorted().map({ ViewKey($0) }) {
            if past.isRedefined(source), !holds(source, in: past) { return false }
            guard past.holdsRecorded(rulesOf: source, for: permit.viewer) else { return false }
            if registry.hasRules, try !holdsNow(source) { return false }
        }
        return true
    }

    /// Returns true if a view has no rule at the moment of a past space, or it is true there.
    private func holds(_ view: ViewKey, in past: PastSpace) -> Bool { past.holds(rulesOf: view, for: permit.viewer) }

    private mutating func holdsNow(_ view: ViewKey) throws(PastRefusal) -> Bool {
        if present == nil {
            present = try PastSpace(permit.space, at: .newest, making: [view], definesByPresent: true, context)
        }
        return present?.holds(rulesOf: view, for: permit.viewer) ?? false
    }
}
