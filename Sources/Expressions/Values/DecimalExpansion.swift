/// The decimal digits of a finite double, all of them: a double is a whole number times a power of 2, so it has finitely many.
struct DecimalExpansion {
    /// True for a number below 0, and for -0.
    private let isNegative: Bool
    /// The digits from the first one that is not 0; none for 0.
    private var digits: [UInt8] = []
    /// The number of digits before the decimal point; negative if zeros follow it.
    private var point = 0

    /// The digits of a number. Precondition: it is finite.
    init(_ number: Double) {
        isNegative = number.sign == .minus
        guard number != 0 else { return }
        var significand = number.significandBitPattern | (number.isNormal ? 1 << 52 : 0)
        var exponent = max(Int(number.exponentBitPattern), 1) - 1_075
        let zeros = significand.trailingZeroBitCount
        significand >>= UInt64(zeros)
        exponent += zeros
        var whole = WholeNumber(significand)
        // Each halving is a multiplication by 5 with one more decimal place.
        let places = max(0, -exponent)
        whole.multiply(by: exponent < 0 ? 5 : 2, times: abs(exponent))
        digits = whole.digits
        point = digits.count - places
    }

    /// The number with `places` decimal places, rounded half to even, as `%.*f` of C.
    func fixed(_ places: Int) -> String {
        var rounded = self
        rounded.round(to: point + places)
        var text = isNegative ? "-" : ""
        text += rounded.text(from: min(0, rounded.point), to: rounded.point)
        if rounded.point <= 0 { text += "0" }
        guard places > 0 else { return text }
        return text + "." + rounded.text(from: rounded.point, to: rounded.point + places)
    }

    /// The number with one digit before the decimal point and `places` after it, rounded half to even, as `%.*e` of C.
    func scientific(_ places: Int) -> String {
        var rounded = self
        rounded.round(to: 1 + places)
        var text = (isNegative ? "-" : "") + rounded.text(from: 0, to: 1)
        if places > 0 { text += "." + rounded.text(from: 1, to: 1 + places) }
        let exponent = digits.isEmpty ? 0 : rounded.point - 1
        return text + (exponent < 0 ? "e-" : "e+") + (abs(exponent) < 10 ? "0" : "") + "\(abs(exponent))"
    }

    /// The digits at places, counted from the first digit; 0 outside of the digits.
    private func text(from start: Int, to end: Int) -> String {
        guard start < end else { return "" }
        return String(
            decoding: (start..<end).map { UInt8(ascii: "0") + (digits.indices.contains($0) ? digits[$0] : 0) },
            as: UTF8.self)
    }

    /// Leaves `count` digits at most.
    private mutating func round(to count: Int) {
        guard count < digits.count else { return }
        guard count >= 0 else { return digits = [] }
        let rest = digits[count...]
        let isHalf = rest.first == 5 && !rest.dropFirst().contains { $0 != 0 }
        let isUp = isHalf ? count > 0 && digits[count - 1] % 2 == 1 : rest.first! >= 5
        digits.removeLast(digits.count - count)
        guard isUp else { return }
        var place = count - 1
        while place >= 0, digits[place] == 9 {
            digits[place] = 0
            place -= 1
        }
        if place >= 0 { return digits[place] += 1 }
        digits.insert(1, at: 0)
        point += 1
    }

    /// A whole number of any size in groups of nine decimal digits, the least first.
    private struct WholeNumber {
        private static let base: UInt64 = 1_000_000_000
        private var groups: [UInt64] = []

        init(_ number: UInt64) {
            var rest = number
            while rest > 0 {
                groups.append(rest % Self.base)
                rest /= Self.base
            }
        }

        mutating func multiply(by factor: UInt64, times: Int) {
            var left = times
            while left > 0 {
                // 5 to the 13th and 2 to the 30th fit into 31 bits.
                let count = min(left, 13)
                multiply(by: (0..<count).reduce(1) { power, _ in power * factor })
                left -= count
            }
        }

        private mutating func multiply(by factor: UInt64) {
            var carry: UInt64 = 0
            for place in groups.indices {
                let product = groups[place] * factor + carry
                groups[place] = product % Self.base
                carry = product / Self.base
            }
            while carry > 0 {
                groups.append(carry % Self.base)
                carry /= Self.base
            }
        }

        var digits: [UInt8] {
            var digits: [UInt8] = []
            for group in groups.reversed() {
                var power = Self.base / 10
                while power > 0 {
                    let digit = UInt8(group / power % 10)
                    if digit != 0 || !digits.isEmpty { digits.append(digit) }
                    power /= 10
                }
            }
            return digits
        }
    }
}
