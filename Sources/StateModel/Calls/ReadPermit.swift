/// The permission of one reader to read some views of one space: the only way to their values.
///
/// `issue` looks at the reader's right in the space and finds the rules of all that the views derive from. The store
/// asks these rules in the moment of each read, and follows them as long as a watch goes on. So code that reads a value
/// for a client has a permit, and cannot forget a rule.
///
/// Permits that show the same are equal, so their readers share what is computed.
package final class ReadPermit: Sendable {
    /// The space.
    package let space: SpaceName
    /// The names of the views, as clients know them.
    package let names: [String]
    /// The names under which the store computes the views for the reader, in the same order.
    package let sources: [String]
    /// The names of the rules of the views for the reader, in the same order, with empty texts for views without a rule.
    /// Empty if no view depends on its reader.
    let rules: [String]
    /// The reader, with all claims, for the rules of earlier definitions.
    package let viewer: Viewer

    private init(_ space: SpaceName, _ names: [String], _ sources: [String], _ rules: [String], _ viewer: Viewer) {
        (self.space, self.names, self.sources, self.rules, self.viewer) = (space, names, sources, rules, viewer)
    }

    /// Returns the permit of a reader for views of a space. Throws `.noRight` if the reader may not read the space.
    package static func issue(
        _ views: [String], in space: SpaceName, to reader: Reader, by rules: any Rulebook
    ) throws(Refusal) -> ReadPermit {
        let rights = reader.permissions.rights(in: space)
        guard rights.contains(.read) else { throw .noRight(space) }
        let viewer = Viewer(reader.caller, in: space, isAdmin: rights.contains(.admin))
        let found = Self.find(views, viewer, rules)
        return ReadPermit(space, views, found.sources, found.rules, viewer)
    }

    /// Returns the names under which the store computes views for a reader, and those of their rules.
    private static func find(
        _ views: [String], _ viewer: Viewer, _ rules: any Rulebook
    ) -> (sources: [String], rules: [String]) {
        guard rules.hasRules, !viewer.caller.isServer else { return (views, []) }
        let access = views.map { rules.access(of: $0, for: viewer) }
        guard access.contains(where: { $0.source != nil || $0.rule != nil }) else { return (views, []) }
        return (zip(views, access).map { $1.source ?? $0 }, access.map { $0.rule ?? "" })
    }

    /// Returns true if the reader would get the same permit from these rules.
    package func holds(by rules: any Rulebook) -> Bool {
        Self.find(names, viewer, rules) == (sources, self.rules)
    }

    /// True if a view has a rule, or is a personal one.
    package var dependsOnReader: Bool { !rules.isEmpty }

    /// The names of the rules, each once.
    package var ruleNames: [String] {
        var names: [String] = []
        for rule in rules where !rule.isEmpty && !names.contains(rule) { names.append(rule) }
        return names
    }

    /// Returns the name of the first view whose rule is not true; nil if all can be read.
    package func forbidden(by answers: RuleAnswers) -> String? {
        zip(names, rules).first { !answers.allows($0.1) }?.0
    }

    /// Returns the permit for those of the views whose rules are true.
    package func permitted(by answers: RuleAnswers) -> ReadPermit {
        guard dependsOnReader else { return self }
        let places = names.indices.filter { answers.allows(rules[$0]) }
        return ReadPermit(
            space, places.map { names[$0] }, places.map { sources[$0] }, places.map { rules[$0] }, viewer)
    }

    /// The permit for no view of the space, whose read tells the moment alone.
    package var withoutViews: ReadPermit { ReadPermit(space, [], [], [], viewer) }

    /// Returns the values of the views under the names that clients know, without those of rules.
    package func shown(_ frames: ViewFrames) -> ViewFrames {
        guard dependsOnReader else { return frames }
        var place = 0
        return frames.compactMap { name, frame in
            // The store keeps the order of the names; some may be missing.
            guard
                let index = sources.indices.first(where: { $0 >= place && sources[$0] == name })
                    ?? sources.firstIndex(of: name)
            else { return nil }
            place = index + 1
            return (names[index], frame)
        }
    }
}

extension ReadPermit: Hashable {
    /// Returns true if the permits show the same values by the same rules.
    package static func == (one: ReadPermit, other: ReadPermit) -> Bool {
        one === other || one.space == other.space && one.sources == other.sources && one.rules == other.rules
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(space)
        hasher.combine(sources)
        hasher.combine(rules)
    }
}
