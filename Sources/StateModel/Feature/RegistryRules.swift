// The rules of views, and the views that depend on the caller.

extension Registry: Rulebook {
    /// True if a view depends on the caller, or a feature has rules.
    package var hasRules: Bool { catalog.hasRules }

    /// True if clients without the right `admin` learn the commits of some features in part only, in any space.
    package var hidesCommits: Bool { hasRules }

    /// Returns true if clients without the right `admin` learn only the heads of the commits of a feature, by its name: it
    /// has rules, had some when it was removed, or is one of the server itself.
    package func hidesCommits(of feature: String) -> Bool {
        catalog.hidesCommits(of: feature)
    }

    /// The places of the rules of a view, by the name that clients know, for the log: `feature#pointer` of a document,
    /// `feature` or `feature.view` of a feature in Swift.
    package func rules(ofView view: ViewKey) -> [String] { catalog.rules(ofView: view) }

    /// Returns the names under which a viewer of a space reads a view, and its rule; nil for a view that is the same for
    /// all, and for one without a rule.
    package func access(of view: ViewKey, for viewer: Viewer) -> ViewerAccess {
        let viewer = catalog.place(ofFeature: view.feature)?.scope == .common ? viewer.inCommon : viewer
        if let access = catalog.access(ofView: view) {
            return ViewerAccess(
                source: access.view.map { view.forViewer(viewer.reduced(to: $0), .view) },
                rule: access.rule.map { view.forViewer(viewer.reduced(to: $0), .rule) },
                claims: access)
        }
        // A view that the state defines has the rules of all that it derives from.
        guard openScope(of: view) != nil else { return ViewerAccess() }
        let reduced = viewer.reduced(to: catalog.ruleClaims, keepingAdmin: true)
        return ViewerAccess(
            rule: view.forViewer(reduced, .rule), claims: ViewAccess(view: nil, rule: catalog.ruleClaims))
    }

    /// Returns true if each reader has a value of its own of a view.
    package func isPersonal(_ view: ViewKey) -> Bool { catalog.access(ofView: view)?.view != nil }

    /// Returns true if a view derives from nothing that is in memory only, as far as the program says.
    package func isKept(_ view: ViewKey) -> Bool { catalog.isKept(view) }

    /// True if a feature has tables whose rows are in memory only.
    package var hasUnkept: Bool { catalog.hasUnkept }

    /// Returns true if a view derives from rows in memory only, or may do so: a view that the state of a space defines, and
    /// a rule.
    package func mayBeUnkept(_ view: ViewKey) -> Bool {
        guard catalog.hasUnkept else { return false }
        // A rule may read other state than its view.
        return view.kind == .rule || catalog.viewPlace(view) == nil || !catalog.isKept(view)
    }

    /// The names of the tables with presence.
    package var presences: [String] { catalog.presences }
}

extension CommitRecord {
    /// Returns true if `isOne` is true for the feature of the action, of a variable that it changed, or of a schedule
    /// whose firing was refused.
    package func hasPart(ofFeature isOne: (String) -> Bool) -> Bool {
        facts.hasPart(in: action, input, ofFeature: isOne)
    }
}

extension Facts {
    /// Returns true if `isOne` is true for the feature of an action that made these facts, of a variable among them, or
    /// of a schedule whose firing was refused.
    func hasPart(in action: String, _ input: [UInt8]?, ofFeature isOne: (String) -> Bool) -> Bool {
        func isOf(_ name: some StringProtocol, _ mark: Character) -> Bool { isOne(String(name.prefix { $0 != mark })) }
        if PerformedAction.contains(in: action, input, where: { isOf($0, "/") }) { return true }
        if contains(where: { isOf($0.variable, ".") }) { return true }
        // The input has the key of a row. The feature is known by the memory that the schedule has fired.
        guard action.hasPrefix("schedules/") else { return false }
        return contains { Fact.isMemory($0.variable) && isOf($0.variable.dropFirst(), ".") }
    }
}
