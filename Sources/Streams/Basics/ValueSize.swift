import JSON

/// The size of a value: one for each value in it, and one for each byte of its texts. A value that occurs several times
/// counts each time.
struct ValueSize {
    /// The size at which the measurement stops.
    private let limit: Int
    private var left: Int
    private(set) var isTooDeep = false

    /// Measures a value up to a size and a depth.
    init(of value: JSON, upTo limit: Int, nesting: Int) {
        self.limit = limit
        left = limit
        take(value, nesting)
    }

    /// The size; nil if it is larger than the limit.
    var total: Int? { left >= 0 ? limit - left : nil }

    private mutating func take(_ value: JSON, _ nesting: Int) {
        left -= 1
        switch value {
        case .null, .bool, .number: break
        case .string(let text): left -= text.utf8.count
        case .array(let elements):
            guard nesting > 0 else { return isTooDeep = true }
            for element in elements {
                guard left >= 0, !isTooDeep else { return }
                take(element, nesting - 1)
            }
        case .object(let object):
            guard nesting > 0 else { return isTooDeep = true }
            for member in object {
                left -= member.key.utf8.count
                guard left >= 0, !isTooDeep else { return }
                take(member.value, nesting - 1)
            }
        }
    }
}
