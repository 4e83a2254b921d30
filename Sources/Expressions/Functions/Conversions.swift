import JSON

/// The functions `int`, `uint`, `double`, `bool`, `string`, `bytes`, `timestamp`, `duration`, `type`, `dyn`, and
/// base64.
enum Conversions {
    static let table = Functions.tables(
        Functions.global("int") { (value, context) throws(EvaluationFailure) in
            try context.scan(value.textBytes)
            return try int(value)
        },
        Functions.global("uint") { (value, context) throws(EvaluationFailure) in
            try context.scan(value.textBytes)
            return try uint(value)
        },
        Functions.global("double") { (value, context) throws(EvaluationFailure) in
            try context.scan(value.textBytes)
            return try double(value)
        },
        Functions.global("bool") { (value, _) throws(EvaluationFailure) in try bool(value) },
        Functions.global("string") { (value, context) throws(EvaluationFailure) in try string(value, &context) },
        Functions.global("bytes") { (value, context) throws(EvaluationFailure) in try bytes(value, &context) },
        Functions.global("timestamp") { (value, _) throws(EvaluationFailure) in try timestamp(value) },
        Functions.global("duration") { (value, _) throws(EvaluationFailure) in try duration(value) },
        Functions.global("type") { (value, _) in .type(value.type) },
        Functions.global("dyn") { (value, _) in value },
        Functions.global("base64.encode") { (value, context) throws(EvaluationFailure) in
            guard case .bytes(let bytes) = value else { throw .mismatch("base64.encode", value) }
            try context.make(bytes.count / 3 * 4 + 4)
            return .string(Base64.encode(bytes))
        },
        Functions.global("base64.decode") { (value, context) throws(EvaluationFailure) in
            guard case .string(let text) = value else { throw .mismatch("base64.decode", value) }
            try context.make(text.utf8.count)
            guard let bytes = Base64.decode(text) else { throw EvaluationFailure("the text is not base64") }
            return .bytes(bytes)
        })

    private static func int(_ value: CELValue) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .int: return value
        case .uint(let number):
            guard let whole = Int64(exactly: number) else { throw unfit(value, "an int") }
            return .int(whole)
        case .double(let number):
            // Both bounds are excluded: a double there may be rounded from a value outside the range.
            guard number > -0x1p63, number < 0x1p63 else { throw unfit(value, "an int") }
            return .int(Int64(number))
        case .string(let text):
            guard let whole = Int64(text) else { throw unreadable(as: "an int") }
            return .int(whole)
        case .decimal(let number):
            guard let whole = number.truncated else { throw unfit(value, "an int") }
            return .int(whole)
        case .timestamp(let moment): return .int(moment.seconds)
        default: throw .mismatch("int", value)
        }
    }

    private static func uint(_ value: CELValue) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .uint: return value
        case .int(let number):
            guard let whole = UInt64(exactly: number) else { throw unfit(value, "a uint") }
            return .uint(whole)
        case .double(let number):
            guard number >= 0, number < 0x1p64 else { throw unfit(value, "a uint") }
            return .uint(UInt64(number))
        case .string(let text):
            guard text.utf8.first != UInt8(ascii: "+"), text.utf8.first != UInt8(ascii: "-"), let whole = UInt64(text)
            else {
                throw unreadable(as: "a uint")
            }
            return .uint(whole)
        default: throw .mismatch("uint", value)
        }
    }

    private static func double(_ value: CELValue) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .double: return value
        case .int(let number): return .double(Double(number))
        case .uint(let number): return .double(Double(number))
        case .decimal(let number): return .double(number.double)
        case .string(let text):
            guard text.utf8.count <= 1_000, let number = Double(text) else { throw unreadable(as: "a double") }
            guard number.isFinite || !text.utf8.contains(where: { $0 &- 48 < 10 }) else {
                throw unreadable(as: "a double")
            }
            return .double(number)
        default: throw .mismatch("double", value)
        }
    }

    private static func bool(_ value: CELValue) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .bool: return value
        case .string("1"), .string("t"), .string("true"), .string("TRUE"), .string("True"), .string("T"):
            return .bool(true)
        case .string("0"), .string("f"), .string("false"), .string("FALSE"), .string("False"), .string("F"):
            return .bool(false)
        case .string: throw unreadable(as: "a bool")
        default: throw .mismatch("bool", value)
        }
    }

    private static func string(
        _ value: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .string: return value
        case .bool(let value): return .string("\(value)")
        case .int(let value): return .string("\(value)")
        case .uint(let value): return .string("\(value)")
        case .double(let value): return .string(value.text)
        case .decimal(let value): return .string(value.description)
        case .timestamp(let moment): return .string(moment.description)
        case .duration(let period): return .string(period.description)
        case .bytes(let bytes):
            try context.make(bytes.count)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw EvaluationFailure("the bytes are not valid UTF-8")
            }
            return .string(text)
        default: throw .mismatch("string", value)
        }
    }

    private static func bytes(
        _ value: CELValue, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .bytes: return value
        case .string(let text):
            try context.make(text.utf8.count)
            return .bytes(Array(text.utf8))
        default: throw .mismatch("bytes", value)
        }
    }

    private static func timestamp(_ value: CELValue) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .timestamp: return value
        case .int(let seconds):
            guard let moment = CELTimestamp(seconds: seconds) else {
                throw EvaluationFailure("the number of seconds is not a timestamp in the years 1 to 9999")
            }
            return .timestamp(moment)
        case .string(let text):
            guard text.utf8.count <= 100, let moment = CELTimestamp(text) else {
                throw EvaluationFailure(
                    "the text is not a timestamp in the years 1 to 9999; write it as '2026-05-04T10:00:00Z'")
            }
            return .timestamp(moment)
        default: throw .mismatch("timestamp", value)
        }
    }

    private static func duration(_ value: CELValue) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .duration: return value
        case .string(let text):
            guard text.utf8.count <= 1_000, let period = CELDuration(text) else {
                throw EvaluationFailure(
                    "the text is not a duration of at most 292 years; write it as '1h30m' or '1.5s'")
            }
            return .duration(period)
        default: throw .mismatch("duration", value)
        }
    }

    private static func unfit(_ value: CELValue, _ type: String) -> EvaluationFailure {
        EvaluationFailure("the \(value.type.plain) is beyond the range of \(type)")
    }

    private static func unreadable(as type: String) -> EvaluationFailure {
        EvaluationFailure("the text cannot be read as \(type)")
    }
}
