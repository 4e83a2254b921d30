extension EvaluationContext {
    /// Returns the positions of keys in ascending order; equal keys keep their order. Fails if two keys have no order.
    /// Each comparison takes a step.
    mutating func order(of keys: [CELValue], for name: String) throws(EvaluationFailure) -> [Int] {
        for key in keys where !key.isOrderable {
            throw EvaluationFailure("\(name) cannot order \(key.type.phrase)")
        }
        // A merge sort, because the library's takes no comparison that throws a typed failure.
        var places = Array(keys.indices)
        var width = 1
        while width < places.count {
            var merged: [Int] = []
            merged.reserveCapacity(places.count)
            for start in stride(from: 0, to: places.count, by: 2 * width) {
                let (middle, end) = (min(start + width, places.count), min(start + 2 * width, places.count))
                var (left, right) = (start, middle)
                while left < middle, right < end {
                    try step()
                    guard let order = try order(keys[places[right]], keys[places[left]], for: name) else {
                        throw EvaluationFailure("\(name) cannot order NaN")
                    }
                    if case .less = order {
                        merged.append(places[right])
                        right += 1
                    } else {
                        merged.append(places[left])
                        left += 1
                    }
                }
                merged += places[left..<middle]
                merged += places[right..<end]
            }
            places = merged
            width *= 2
        }
        return places
    }
}

extension CELValue {
    /// True if values of this type have an order.
    fileprivate var isOrderable: Bool {
        switch self {
        case .null, .list, .map, .type: false
        default: true
        }
    }
}
