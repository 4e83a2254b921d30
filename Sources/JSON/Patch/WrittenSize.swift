extension JSON {
    /// The approximate number of bytes of the written value: escapes count as one byte, numbers as the digits of their
    /// coefficient.
    var approximateSize: Int {
        var remaining = Int.max
        take(from: &remaining)
        return Int.max - remaining
    }

    /// True if the approximate size exceeds `limit`. Visits O(`limit`) values.
    func isLarger(than limit: Int) -> Bool {
        guard limit >= 0 else { return true }
        var remaining = limit
        take(from: &remaining)
        return remaining < 0
    }

    /// Subtracts the size of the value from `remaining`, and stops below zero.
    private func take(from remaining: inout Int) {
        switch self {
        case .null, .bool: remaining -= 4
        case .number(let number):
            remaining -= number.coefficient.magnitude.decimalDigits + (number.exponent == 0 ? 0 : 2)
        case .string(let text): remaining -= text.utf8.count + 2
        case .array(let elements):
            remaining -= max(2, elements.count + 1)
            for element in elements {
                guard remaining >= 0 else { return }
                element.take(from: &remaining)
            }
        case .object(let object):
            remaining -= 2
            for member in object {
                guard remaining >= 0 else { return }
                remaining -= member.key.utf8.count + 4
                member.value.take(from: &remaining)
            }
        }
    }
}
