import Expressions
import JSON

extension NumberRules {
    /// Returns the demand that a number does not satisfy, as the end of "the value …".
    func demand(on number: Decimal) -> String? {
        if let minimum, let maximum, number < minimum || number > maximum {
            return "must be from \(minimum) to \(maximum)"
        }
        if let minimum, number < minimum { return "must be \(minimum) or more" }
        if let maximum, number > maximum { return "must be \(maximum) or less" }
        if let exclusiveMinimum, number <= exclusiveMinimum { return "must be more than \(exclusiveMinimum)" }
        if let exclusiveMaximum, number >= exclusiveMaximum { return "must be less than \(exclusiveMaximum)" }
        if let multipleOf, !number.isMultiple(of: multipleOf) { return "must be a multiple of \(multipleOf)" }
        return nil
    }
}

extension Decimal {
    /// True if the number is a factor times a whole number; the factor is not 0.
    func isMultiple(of factor: Decimal) -> Bool {
        do throws(LongDecimal.ArithmeticFault) {
            return try (LongDecimal(short: self) % LongDecimal(short: factor)).signum == 0
        } catch {
            return false
        }
    }
}

extension TextRules {
    /// Returns the demand that a text does not satisfy, as the end of "the value …", and what the text has instead.
    func demand(on text: String) -> (words: String, found: String)? {
        if least != nil || most != nil {
            let count = text.unicodeScalars.count
            switch (least, most) {
            case (let least?, let most?) where count < least || count > most:
                return ("must have \(least) to \(most) characters", ", not \(count)")
            case (let least?, nil) where count < least:
                return ("must have \(least) or more characters", ", not \(count)")
            case (nil, let most?) where count > most:
                return ("must have \(most) or fewer characters", ", not \(count)")
            default: break
            }
        }
        guard let pattern else { return nil }
        do throws(EvaluationFailure) {
            return try pattern.matches(text) ? nil : ("must match the pattern \(pattern.source)", "")
        } catch {
            return ("is too long to be compared with its pattern: \(error)", "")
        }
    }
}

extension SchemaFormat {
    /// Returns the demand that a text does not satisfy, as the end of "the value …". A decimal is a number.
    func demand(on text: String) -> String? {
        switch self {
        case .decimal: nil
        case .dateTime: TimeText.isDateTime(text) ? nil : "must be a date-time such as 2026-05-04T10:00:00Z"
        case .date: TimeText.isDate(text) ? nil : "must be a date such as 2026-05-04"
        case .uuid:
            Self.isUUID(text) ? nil : "must be a UUID such as 2eb8aa08-aa98-11ea-b4aa-73b441d16380"
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.enumerated().allSatisfy { place, byte in
                switch place {
                case 8, 13, 18, 23: byte == UInt8(ascii: "-")
                default: byte &- 48 < 10 || (byte | 0x20) &- 97 < 6
                }
            }
    }
}
