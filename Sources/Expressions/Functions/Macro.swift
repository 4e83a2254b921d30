/// A macro of CEL: a method call that iterates over a list or a map.
enum Macro {
    case all, exists, existsOne, map, filter, transformList, transformMap, transformMapEntry, sortBy

    /// Returns the macro for a name and a number of arguments, or nil if there is none.
    init?(_ name: String, _ count: Int, isStrict: Bool) {
        switch (name, count) {
        case ("all", 2...3): self = .all
        case ("exists", 2...3): self = .exists
        case ("exists_one", 2...3), ("existsOne", 2...3): self = .existsOne
        case ("map", 2...3): self = .map
        case ("filter", 2): self = .filter
        case ("transformList", 3...4): self = .transformList
        case ("transformMap", 3...4): self = .transformMap
        case ("transformMapEntry", 3...4): self = .transformMapEntry
        case ("sortBy", 2) where !isStrict: self = .sortBy
        default: return nil
        }
    }

    /// Returns the number of variables for a number of arguments.
    func variables(_ count: Int) -> Int {
        switch self {
        case .all, .exists, .existsOne: count - 1
        case .map, .filter, .sortBy: 1
        case .transformList, .transformMap, .transformMapEntry: 2
        }
    }

    /// Examples for the description of a wrong call.
    static let examples = [
        "all": "value.all(x, x > 0)", "exists": "value.exists(x, x > 0)", "exists_one": "value.exists_one(x, x > 0)",
        "existsOne": "value.existsOne(i, x, x > i)", "map": "value.map(x, x * 2)", "filter": "value.filter(x, x > 0)",
        "transformList": "value.transformList(i, x, x * i)", "transformMap": "value.transformMap(k, x, x + 1)",
        "transformMapEntry": "value.transformMapEntry(k, x, {x: k})", "sortBy": "value.sortBy(x, x.price)",
    ]
}
