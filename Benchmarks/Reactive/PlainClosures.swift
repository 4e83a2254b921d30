/// The reference for the reactive core: plain closures for one case, without commits, observation counts or ordering.
final class PlainClosures {
    var value: Int
    private var listeners: [(Int) -> Void] = []

    init(_ value: Int = 0) {
        self.value = value
    }

    func listen(_ listener: @escaping (Int) -> Void) {
        listeners.append(listener)
    }

    func set(_ new: Int) {
        value = new
        for listener in listeners { listener(new) }
    }

    func map(_ transform: @escaping (Int) -> Int) -> PlainClosures {
        let mapped = PlainClosures(transform(value))
        listen { mapped.set(transform($0)) }
        return mapped
    }

    func scan(_ initial: Int, _ accumulate: @escaping (Int, Int) -> Int) -> PlainClosures {
        let scanned = PlainClosures(initial)
        listen { scanned.set(accumulate(scanned.value, $0)) }
        return scanned
    }

    func removeDuplicates() -> PlainClosures {
        let kept = PlainClosures(value)
        listen { if $0 != kept.value { kept.set($0) } }
        return kept
    }

    /// Joins both values on each change of either: in a diamond, twice.
    func combine(_ other: PlainClosures, _ join: @escaping (Int, Int) -> Int) -> PlainClosures {
        let combined = PlainClosures(join(value, other.value))
        listen { combined.set(join($0, other.value)) }
        other.listen { combined.set(join(self.value, $0)) }
        return combined
    }
}
