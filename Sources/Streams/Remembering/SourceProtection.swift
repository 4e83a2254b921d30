import JSON
import StateModel

/// The protection of the sources of a program in a space: the private places that they do not see, and the rules that
/// guard them. A memory records it, because it outlives the definitions of its sources.
struct SourceProtection {
    private let hidden: Set<String>
    private let guards: Set<String>
    /// True if the sources exist.
    private let isWhole: Bool

    private static let hiddenKey = "hidden"
    private static let guardsKey = "guards"

    init(of program: StreamProgram, in views: SpaceViews) {
        let derivation = program.derivation
        hidden = views.hiddenPlaces(behind: derivation.views, derivation.actions)
        guards = views.guards(behind: derivation.views, derivation.actions)
        isWhole = views.hasSources(derivation.views, derivation.actions)
    }

    /// Writes the protection into the record of a memory.
    func record(in record: inout JSON.Object) {
        record[Self.hiddenKey] = hidden.isEmpty ? nil : Self.list(hidden)
        record[Self.guardsKey] = Self.list(guards)
    }

    /// Returns true if the record of a memory has this protection.
    func isRecorded(in record: JSON) -> Bool {
        Self.names(record[Self.hiddenKey]) ?? [] == hidden && Self.names(record[Self.guardsKey]) == guards
    }

    /// Returns true if a memory with a record came from places that are private now, or from behind a rule that is gone.
    ///
    /// A memory without a record of rules is that of an earlier release. It may have come from behind any rule, unless its
    /// sources are there and have none.
    func exposes(_ record: JSON?) -> Bool {
        guard hidden.isSubset(of: Self.names(record?[Self.hiddenKey]) ?? []) else { return true }
        guard let recorded = Self.names(record?[Self.guardsKey]) else { return !isWhole || !guards.isEmpty }
        return !recorded.isSubset(of: guards)
    }

    private static func list(_ names: Set<String>) -> JSON { .array(names.sorted().map { .string($0) }) }

    private static func names(_ list: JSON?) -> Set<String>? {
        guard case .array(let elements)? = list else { return nil }
        return Set(elements.compactMap { if case .string(let name) = $0 { name } else { nil } })
    }
}
