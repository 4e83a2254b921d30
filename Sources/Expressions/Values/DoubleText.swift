extension Double {
    /// The shortest text that parses to this double: `0.1`, `3`, `1e+30`, `NaN`.
    var text: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
        let (isNegative, digits, point) = shortest
        let sign = isNegative ? "-" : ""
        guard point > 21 || point <= -6 else { return sign + Self.plain(digits, point) }
        let exponent = point - 1
        let fraction = digits.count > 1 ? "." + String(decoding: digits.dropFirst(), as: UTF8.self) : ""
        return sign + String(decoding: digits.prefix(1), as: UTF8.self) + fraction + "e" + (exponent < 0 ? "-" : "+")
            + "\(abs(exponent))"
    }

    /// The shortest text without an exponent.
    var plainText: String {
        if isNaN || isInfinite { return text }
        let (isNegative, digits, point) = shortest
        return (isNegative ? "-" : "") + Self.plain(digits, point)
    }

    private static func plain(_ digits: [UInt8], _ point: Int) -> String {
        let zero = UInt8(ascii: "0")
        if point <= 0 { return "0." + String(decoding: Array(repeating: zero, count: -point) + digits, as: UTF8.self) }
        if point >= digits.count {
            return String(decoding: digits + Array(repeating: zero, count: point - digits.count), as: UTF8.self)
        }
        return String(decoding: digits[..<point], as: UTF8.self) + "."
            + String(decoding: digits[point...], as: UTF8.self)
    }

    /// The shortest digits that identify the double, and the number of digits before the decimal point.
    private var shortest: (isNegative: Bool, digits: [UInt8], point: Int) {
        // Swift's `description` has these digits in one of two forms.
        var digits: [UInt8] = []
        var point: Int?
        var exponent = 0
        let text = Array(magnitude.description.utf8)
        for (place, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "."): point = digits.count
            case UInt8(ascii: "e"):
                exponent = Int(String(decoding: text[(place + 1)...], as: UTF8.self)) ?? 0
            default: if !text[..<place].contains(UInt8(ascii: "e")) { digits.append(byte) }
            }
        }
        var place = (point ?? digits.count) + exponent
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(zeros)
        place -= zeros
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.isEmpty { return (sign == .minus, [UInt8(ascii: "0")], 1) }
        return (sign == .minus, digits, place)
    }
}
