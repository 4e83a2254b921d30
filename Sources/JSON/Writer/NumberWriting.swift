extension JSONWriter {
    /// Writes an integer.
    @inlinable
    public mutating func integer(_ value: Int64) {
        if value < 0 { buffer.append(UInt8(ascii: "-")) }
        digits(value.magnitude)
    }

    /// Writes a non-negative integer.
    @inlinable
    public mutating func integer(_ value: UInt64) {
        digits(value)
    }

    /// Writes a double with the fewest digits that convert back to it. An integral double has no fraction (`1` for
    /// 1.0), because JSON has one kind of number. A double that is not finite is a `failure`.
    public mutating func double(_ value: Double) {
        guard let decimal = Decimal(value) else { return fail(.notFinite) }
        self.decimal(decimal)
    }

    /// Writes a number in the one form of ECMAScript and RFC 8785 §3.2.2.3: no exponent from 0.000001 up to 21 digits.
    @inlinable
    public mutating func decimal(_ value: Decimal) {
        if value.coefficient < 0 { buffer.append(UInt8(ascii: "-")) }
        if value.power == 0 {
            digits(value.coefficient.magnitude)
        } else {
            scaled(value.coefficient.magnitude, value.exponent)
        }
    }

    /// Writes `magnitude` times a power of ten other than 1. Precondition: `magnitude` does not end in zero.
    @usableFromInline
    mutating func scaled(_ magnitude: UInt64, _ exponent: Int) {
        let count = magnitude.decimalDigits
        // The position of the decimal point, counted from before the first digit.
        let point = count + exponent
        switch point {
        case 1...21 where exponent > 0:
            digits(magnitude)
            buffer.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: exponent))
        case 1...21:
            let unit = PowersOfTen.words[-exponent]
            digits(magnitude / unit)
            buffer.append(UInt8(ascii: "."))
            digits(magnitude % unit, width: -exponent)
        case -5...0:
            append("0.")
            digits(magnitude, width: -exponent)
        default:
            let unit = PowersOfTen.words[count - 1]
            digits(magnitude / unit)
            if count > 1 {
                buffer.append(UInt8(ascii: "."))
                digits(magnitude % unit, width: count - 1)
            }
            append(point > 0 ? "e+" : "e-")
            digits(UInt64((point - 1).magnitude))
        }
    }

    /// Writes digits, padded with leading zeros to `width`.
    @inlinable
    mutating func digits(_ value: UInt64, width: Int = 1) {
        if value < 10, width == 1 {
            buffer.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
            return
        }
        let length = max(width, value.decimalDigits)
        buffer.append(addingCapacity: length) { output in
            output.append(repeating: UInt8(ascii: "0"), count: length)
            var digits = output.mutableSpan
            var rest = value
            var place = length
            while rest > 0 {
                let (tenth, digit) = rest.quotientAndRemainder(dividingBy: 10)
                place -= 1
                digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = tenth
            }
        }
    }
}
