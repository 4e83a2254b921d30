/// A CEL duration in nanoseconds, of at most 292 years in either direction.
struct CELDuration: Hashable, Comparable, Sendable {
    let nanoseconds: Int64

    static func < (left: CELDuration, right: CELDuration) -> Bool { left.nanoseconds < right.nanoseconds }

    static let perSecond: Int64 = 1_000_000_000

    var seconds: Int64 { nanoseconds / Self.perSecond }
}

extension CELDuration: CustomStringConvertible {
    /// The duration in seconds: `1.5s`.
    var description: String {
        let fraction = nanoseconds % Self.perSecond
        let sign = nanoseconds < 0 ? "-" : ""
        return sign + "\(seconds.magnitude)" + fractionText(fraction.magnitude) + "s"
    }
}

extension CELDuration {
    /// Parses numbers with the units h, m, s, ms, us and ns: `1h30m`, `1.5s`, `-20ms`. Nil if the text has another form
    /// or exceeds the range.
    init?(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        var isNegative = false
        if let sign = rest.first, sign == "-" || sign == "+" {
            isNegative = sign == "-"
            rest.removeFirst()
        }
        guard !rest.isEmpty else { return nil }
        // Zero is the only number without a unit.
        if rest.elementsEqual("0".unicodeScalars) {
            nanoseconds = 0
            return
        }
        var total: UInt64 = 0
        while !rest.isEmpty {
            guard let part = Self.part(&rest), case let (sum, isOver) = total.addingReportingOverflow(part), !isOver
            else { return nil }
            total = sum
        }
        guard let value = isNegative ? Int64(exactly: -Int128(total)) : Int64(exactly: total) else { return nil }
        nanoseconds = value
    }

    /// Parses a number and its unit, in nanoseconds.
    private static func part(_ rest: inout ArraySlice<Unicode.Scalar>) -> UInt64? {
        var whole: UInt128 = 0
        var scale: UInt128 = 1
        var digits = 0
        var isFraction = false
        while let scalar = rest.first {
            if scalar == ".", !isFraction {
                isFraction = true
            } else if let digit = scalar.decimalDigit {
                digits += 1
                // Further digits are below the precision, or the number is too large anyway.
                if !isFraction {
                    guard whole < UInt128(UInt64.max) else { return nil }
                    whole = whole * 10 + UInt128(digit)
                } else if scale < 1_000_000_000_000_000 {
                    whole = whole * 10 + UInt128(digit)
                    scale *= 10
                }
            } else {
                break
            }
            rest.removeFirst()
        }
        let unit = rest.prefix { $0 != "." && $0.decimalDigit == nil }
        guard digits > 0, let factor = Self.units[String(String.UnicodeScalarView(unit))] else { return nil }
        rest.removeFirst(unit.count)
        let (product, isOver) = whole.multipliedReportingOverflow(by: UInt128(factor))
        return isOver ? nil : UInt64(exactly: product / scale)
    }

    private static let units: [String: UInt64] = [
        "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000,
        "h": 3_600_000_000_000,
    ]
}

extension Unicode.Scalar {
    /// The value of an ASCII digit.
    var decimalDigit: Int? {
        "0" <= self && self <= "9" ? Int(value) - 48 : nil
    }
}

/// Returns nanoseconds as decimal places after a point, without trailing zeros; an empty text for 0.
func fractionText(_ nanoseconds: UInt64) -> String {
    guard nanoseconds > 0 else { return "" }
    var digits = Array(String(nanoseconds + 1_000_000_000).utf8.dropFirst())
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return "." + String(decoding: digits, as: UTF8.self)
}
