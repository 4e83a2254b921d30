import JSON

/// The method `format`: a text with placeholders, as `'%d of %s'.format([2, 'x'])`.
enum FormatFunction {
    static func format(
        _ text: CELValue, _ arguments: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        guard case .string(let template) = text, case .list(let list) = arguments else {
            throw .mismatch("format", text, arguments)
        }
        var bytes = Array(template.utf8)[...]
        var result: [UInt8] = []
        var place = 0
        try context.make(bytes.count)
        while let percent = bytes.firstIndex(of: UInt8(ascii: "%")) {
            result += bytes[..<percent]
            bytes = bytes[(percent + 1)...]
            // Formatting a number costs much more than other steps.
            try context.work(8)
            guard var verb = bytes.popFirst() else {
                throw EvaluationFailure("the format ends after %; a percent sign is %%")
            }
            if verb == UInt8(ascii: "%") {
                result.append(verb)
                continue
            }
            var precision: Int?
            if verb == UInt8(ascii: ".") {
                let digits = bytes.prefix { $0 &- 48 < 10 }
                guard let places = Int(String(decoding: digits, as: UTF8.self)),
                    places <= ExpressionLimits.formatPrecision
                else {
                    throw EvaluationFailure(
                        "%. needs a number of decimal places, at most \(ExpressionLimits.formatPrecision), as in %.2f")
                }
                precision = places
                bytes.removeFirst(digits.count)
                guard let following = bytes.popFirst() else {
                    throw EvaluationFailure("the format ends after a number of decimal places")
                }
                verb = following
            }
            guard place < list.count else {
                throw EvaluationFailure("the format needs more values than are given")
            }
            let part = try spelt(list[place], verb, precision, &context)
            try context.make(part.utf8.count)
            result += part.utf8
            place += 1
        }
        result += bytes
        guard result.count <= ExpressionLimits.textBytes else {
            throw EvaluationFailure("format would make a text longer than \(ExpressionLimits.textBytes) bytes")
        }
        return .string(String(decoding: result, as: UTF8.self))
    }

    private static func spelt(
        _ value: CELValue, _ verb: UInt8, _ precision: Int?, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> String {
        switch (verb, value) {
        case (UInt8(ascii: "s"), _):
            var text: [UInt8] = []
            try plain(value, &text, &context)
            return String(decoding: text, as: UTF8.self)
        case (UInt8(ascii: "d"), .int(let number)): return "\(number)"
        case (UInt8(ascii: "d"), .uint(let number)): return "\(number)"
        case (UInt8(ascii: "d"), .double(let number)): return number.plainText
        case (UInt8(ascii: "d"), .decimal(let number)): return number.description
        case (UInt8(ascii: "f"), .decimal(let number)):
            return try LongDecimal.computed { () throws(LongDecimal.ArithmeticFault) in
                try number.rounded(places: precision ?? 6).text(places: precision ?? 6)
            }
        case (UInt8(ascii: "f"), .int), (UInt8(ascii: "f"), .uint), (UInt8(ascii: "f"), .double):
            return placed(value.asDouble, "f", precision ?? 6)
        case (UInt8(ascii: "e"), .int), (UInt8(ascii: "e"), .uint), (UInt8(ascii: "e"), .double):
            return placed(value.asDouble, "e", precision ?? 6)
        case (UInt8(ascii: "b"), .bool(let truth)): return truth ? "1" : "0"
        case (UInt8(ascii: "b"), .int(let number)): return String(number, radix: 2)
        case (UInt8(ascii: "b"), .uint(let number)): return String(number, radix: 2)
        case (UInt8(ascii: "o"), .int(let number)): return String(number, radix: 8)
        case (UInt8(ascii: "o"), .uint(let number)): return String(number, radix: 8)
        case (UInt8(ascii: "x"), _), (UInt8(ascii: "X"), _):
            return try hexadecimal(value, isUpper: verb == UInt8(ascii: "X"), &context)
        default:
            guard "dfebo".utf8.contains(verb) else {
                throw EvaluationFailure("unknown format; the formats are %s %d %f %e %b %o %x %X")
            }
            throw EvaluationFailure("%d, %f, %e, %b and %o take numbers, not \(value.type.phrase)")
        }
    }

    private static func hexadecimal(
        _ value: CELValue, isUpper: Bool, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> String {
        func digits(_ bytes: some Collection<UInt8>) -> String {
            let letters = Array((isUpper ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
            return String(decoding: bytes.flatMap { [letters[Int($0 >> 4)], letters[Int($0 & 15)]] }, as: UTF8.self)
        }
        switch value {
        case .int(let number): return String(number, radix: 16, uppercase: isUpper)
        case .uint(let number): return String(number, radix: 16, uppercase: isUpper)
        case .string(let text):
            try context.make(2 * text.utf8.count)
            return digits(text.utf8)
        case .bytes(let bytes):
            try context.make(2 * bytes.count)
            return digits(bytes)
        default: throw EvaluationFailure("%x takes a whole number, a text or bytes, not \(value.type.phrase)")
        }
    }

    /// Formats a number with `precision` decimal places, correctly rounded.
    private static func placed(_ number: Double, _ verb: String, _ precision: Int) -> String {
        guard number.isFinite else { return number.text }
        let expansion = DecimalExpansion(number)
        return verb == "e" ? expansion.scientific(precision) : expansion.fixed(precision)
    }

    /// Appends a value as `%s` formats it.
    private static func plain(
        _ value: CELValue, _ text: inout [UInt8], _ context: inout EvaluationContext, depth: Int = 0
    ) throws(EvaluationFailure) {
        try context.work(4)
        try context.descend(depth)
        switch value {
        case .null: text += "null".utf8
        case .bool(let value): text += "\(value)".utf8
        case .int(let value): text += "\(value)".utf8
        case .uint(let value): text += "\(value)".utf8
        case .double(let value): text += value.plainText.utf8
        case .decimal(let value): text += value.description.utf8
        case .string(let value):
            try context.make(value.utf8.count)
            text += value.utf8
        case .bytes(let bytes):
            try context.make(bytes.count)
            text += bytes
        case .timestamp(let moment): text += moment.description.utf8
        case .duration(let period): text += period.description.utf8
        case .type(let type): text += type.rawValue.utf8
        case .list(let list):
            text.append(UInt8(ascii: "["))
            for place in 0..<list.count {
                if place > 0 { text += ", ".utf8 }
                try plain(list[place], &text, &context, depth: depth + 1)
            }
            text.append(UInt8(ascii: "]"))
        case .map(let map):
            // Entries are sorted by the text of their keys, so that equal maps have equal texts.
            var entries: [(key: ExactText, value: [UInt8])] = []
            for place in 0..<map.count {
                var key: [UInt8] = []
                var member: [UInt8] = []
                try plain(map.key(at: place), &key, &context, depth: depth + 1)
                try plain(map.value(at: place), &member, &context, depth: depth + 1)
                entries.append((ExactText(String(decoding: key, as: UTF8.self)), member))
            }
            entries.sort { $0.key < $1.key }
            text.append(UInt8(ascii: "{"))
            for (place, entry) in entries.enumerated() {
                text += ((place > 0 ? ", " : "") + entry.key.text + ": ").utf8
                text += entry.value
            }
            text.append(UInt8(ascii: "}"))
        }
    }
}

extension CELValue {
    /// The number as a double; 0 if the value is not a number.
    fileprivate var asDouble: Double {
        switch self {
        case .int(let number): Double(number)
        case .uint(let number): Double(number)
        case .double(let number): number
        default: 0
        }
    }
}
