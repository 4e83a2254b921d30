import Expressions
import JSON
import Reactive
import StateModel

/// The index that a view of a table reads, in place of a walk.
struct QueryPlan: Sendable {
    /// A value that names a group: of `row.owner == VALUE`, or of `row.owner in VALUE`.
    struct GroupValue: Sendable {
        let formula: CompiledFormula
        let isMembership: Bool
    }

    let index: CompiledIndex
    /// False for an index that the compiler has made for the instances of views.
    let isDeclared: Bool
    /// The values of a group, in the order of `index.by`.
    let values: [GroupValue]
    /// The conditions that read no row.
    let rowFree: [CompiledFormula]
    /// True if the groups have just the rows that `where` selects.
    let coversCondition: Bool
    /// True if the rows of a group stand in the order of the view.
    let givesOrder: Bool

    /// The groups that a view combines at most.
    private static let groupsLimit = 10_000

    /// Returns the groups that the rows of a view are in; nil if only a walk tells.
    func groups(in frame: RowFrame) -> [[UInt8]]? {
        var groups: [[JSON]] = [[]]
        do {
            for value in values {
                let found = try frame.evaluate(value.formula, "", .null, nil)
                let members = value.isMembership ? found.members : [found]
                let known = members.filter(\.isGroup)
                guard groups.count * known.count <= Self.groupsLimit else { return nil }
                groups = groups.flatMap { group in known.map { group + [$0] } }
            }
        } catch {
            // The condition fails, unless another part of it is false.
            let isFalse = rowFree.contains { (try? frame.evaluate($0, "", .null, nil)) == false }
            return isFalse ? [] : nil
        }
        var seen: Set<[UInt8]> = []
        return groups.compactMap { CompiledIndex.group($0) }.filter { seen.insert($0).inserted }
    }
}

extension JSON {
    /// The elements of a list, or the keys of a map.
    var members: [JSON] {
        switch self {
        case .array(let elements): elements
        case .object(let object): object.map { .string($0.key) }
        default: []
        }
    }
}

extension QueryPlan {
    /// A number that is higher for a better plan.
    var rank: Int { (givesOrder ? 100 : 0) + (coversCondition ? 50 : 0) + values.count }
}
