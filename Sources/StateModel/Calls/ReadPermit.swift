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
    package let names: [ViewKey]
    /// The names under which the store computes the views for the reader, in the same order.
    package let sources: [ViewKey]
    /// The ways in which the reader reads the views, in the same order. Empty if no view depends on its reader.
    private let access: [ViewerAccess]
    /// The reader, with all claims, for the rules of earlier definitions.
    package let viewer: Viewer

    private init(_ space: SpaceName, _ names: [ViewKey], _ access: [ViewerAccess], _ viewer: Viewer) {
        (self.space, self.names, self.access, self.viewer) = (space, names, access, viewer)
        sources = access.isEmpty ? names : zip(names, access).map { $1.source ?? $0 }
    }

    /// Returns the permit of a reader for views of a space. Throws `.noRight` if the reader may not read the space.
    package static func issue(
        _ views: [ViewKey], in space: SpaceName, to reader: Reader, by rules: any Rulebook
    ) throws(Refusal) -> ReadPermit {
        let rights = reader.permissions.rights(in: space)
        guard rights.contains(.read) else { throw .noRight(space) }
        let viewer = Viewer(reader.caller, in: space, isAdmin: rights.contains(.admin))
        return ReadPermit(space, views, access(to: views, viewer, rules), viewer)
    }

    /// Returns the ways in which a viewer reads views, or nothing if they are the same for all.
    private static func access(to views: [ViewKey], _ viewer: Viewer, _ rules: any Rulebook) -> [ViewerAccess] {
        guard rules.hasRules, !viewer.caller.isServer else { return [] }
        let access = views.map { rules.access(of: $0, for: viewer) }
        return access.contains { $0 != ViewerAccess() } ? access : []
    }

    /// Returns true if each reader with this permit would get the same one from these rules.
    package func holds(by rules: any Rulebook) -> Bool { Self.access(to: names, viewer, rules) == access }

    /// Returns true if that is so for all views but those that are gone, which have no value to hide.
    package func holds(by rules: any Rulebook, beside gone: [ViewKey]) -> Bool {
        let now = Self.access(to: names, viewer, rules)
        return names.indices.allSatisfy { index in
            gone.contains(names[index])
                || (now.isEmpty ? ViewerAccess() : now[index]) == (access.isEmpty ? ViewerAccess() : access[index])
        }
    }

    /// True if a view has a rule, or is a personal one.
    package var dependsOnReader: Bool { !access.isEmpty }

    /// The names of the rules, each once.
    package var ruleNames: [ViewKey] {
        var names: [ViewKey] = []
        for case let rule? in access.map(\.rule) where !names.contains(rule) { names.append(rule) }
        return names
    }

    /// Returns the name of the first view whose rule is not true; nil if all can be read. `isGone` says of a view by its
    /// name in the store that it has no value to hide.
    package func forbidden(by answers: RuleAnswers, isGone: (ViewKey) -> Bool = { _ in false }) -> String? {
        access.indices.first { !answers.allows(access[$0].rule) && !isGone(sources[$0]) }.map { "\(names[$0])" }
    }

    /// Returns the permit for those of the views whose rules are true.
    package func permitted(by answers: RuleAnswers) -> ReadPermit {
        guard dependsOnReader else { return self }
        let places = names.indices.filter { answers.allows(access[$0].rule) }
        return ReadPermit(space, places.map { names[$0] }, places.map { access[$0] }, viewer)
    }

    /// The permit for no view of the space, whose read tells the moment alone.
    package var withoutViews: ReadPermit { ReadPermit(space, [], [], viewer) }

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
        one === other || one.space == other.space && one.sources == other.sources && one.access == other.access
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(space)
        hasher.combine(sources)
    }
}
