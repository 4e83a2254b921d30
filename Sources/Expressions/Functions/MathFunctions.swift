import JSON

/// The functions of the math extension.
enum MathFunctions {
    static let table = Functions.tables(
        Functions.variadic("math.greatest") { (values, context) throws(EvaluationFailure) in
            try extreme("math.greatest", values, .greater, &context)
        },
        Functions.variadic("math.least") { (values, context) throws(EvaluationFailure) in
            try extreme("math.least", values, .less, &context)
        },
        rounding("math.ceil") { $0.rounded(.up) },
        rounding("math.floor") { $0.rounded(.down) },
        rounding("math.round") { $0.rounded(.toNearestOrAwayFromZero) },
        rounding("math.trunc") { $0.rounded(.towardZero) },
        question("math.isNaN") { $0.isNaN },
        question("math.isInf") { $0.isInfinite },
        question("math.isFinite") { $0.isFinite },
        Functions.global("math.abs") { (value, _) throws(EvaluationFailure) in
            switch value {
            case .int(let number):
                guard number != .min else { throw Arithmetic.overflow }
                return .int(abs(number))
            case .uint: return value
            case .double(let number): return .double(number.magnitude)
            case .decimal(let number): return .decimal(number.absolute)
            default: throw .mismatch("math.abs", value)
            }
        },
        Functions.global("math.sign") { (value, _) throws(EvaluationFailure) in
            switch value {
            case .int(let number): return .int(number.signum())
            case .uint(let number): return .uint(number == 0 ? 0 : 1)
            case .double(let number): return .double(number > 0 ? 1 : number < 0 ? -1 : number)
            case .decimal(let number): return .int(Int64(number.signum))
            default: throw .mismatch("math.sign", value)
            }
        },
        Functions.global("math.sqrt") { (value, _) throws(EvaluationFailure) in
            switch value {
            case .int(let number): return .double(Double(number).squareRoot())
            case .uint(let number): return .double(Double(number).squareRoot())
            case .double(let number): return .double(number.squareRoot())
            default: throw .mismatch("math.sqrt", value)
            }
        })

    static let bits = Functions.tables(
        both("math.bitAnd", { $0 & $1 }, { $0 & $1 }),
        both("math.bitOr", { $0 | $1 }, { $0 | $1 }),
        both("math.bitXor", { $0 ^ $1 }, { $0 ^ $1 }),
        shift("math.bitShiftLeft") { $0 << $1 },
        // The sign bit of an int is shifted like any other: zeros come in from the left.
        shift("math.bitShiftRight") { $0 >> $1 },
        Functions.global("math.bitNot") { (value, _) throws(EvaluationFailure) in
            switch value {
            case .int(let number): return .int(~number)
            case .uint(let number): return .uint(~number)
            default: throw .mismatch("math.bitNot", value)
            }
        })

    /// Returns the greatest or least of numbers, or of a list of them; among equal ones, the first.
    private static func extreme(
        _ name: String, _ values: [CELValue], _ wanted: Ordering, _ context: inout EvaluationContext
    ) throws(EvaluationFailure) -> CELValue {
        var values = values
        if values.count == 1, case .list(let list) = values[0] {
            try context.make(elements: list.count)
            values = list.values
        }
        guard var best = values.first else { throw EvaluationFailure("\(name) of an empty list") }
        guard values.allSatisfy(\.isNumber) else { throw .mismatch(name, Array(values.prefix(4))) }
        for value in values.dropFirst() {
            try context.step()
            guard let order = try context.order(value, best, for: name) else {
                throw EvaluationFailure("\(name) cannot order NaN")
            }
            if order == wanted { best = value }
        }
        return best
    }

    private static func rounding(_ name: String, _ body: @escaping @Sendable (Double) -> Double) -> FunctionTable {
        Functions.global(name) { (value, _) throws(EvaluationFailure) in
            guard case .double(let number) = value else { throw .mismatch(name, value) }
            return .double(body(number))
        }
    }

    private static func question(_ name: String, _ body: @escaping @Sendable (Double) -> Bool) -> FunctionTable {
        Functions.global(name) { (value, _) throws(EvaluationFailure) in
            guard case .double(let number) = value else { throw .mismatch(name, value) }
            return .bool(body(number))
        }
    }

    private static func both(
        _ name: String, _ ints: @escaping @Sendable (Int64, Int64) -> Int64,
        _ uints: @escaping @Sendable (UInt64, UInt64) -> UInt64
    ) -> FunctionTable {
        Functions.global2(name) { (left, right, _) throws(EvaluationFailure) in
            switch (left, right) {
            case (.int(let left), .int(let right)): return .int(ints(left, right))
            case (.uint(let left), .uint(let right)): return .uint(uints(left, right))
            default: throw .mismatch(name, left, right)
            }
        }
    }

    private static func shift(_ name: String, _ body: @escaping @Sendable (UInt64, UInt64) -> UInt64) -> FunctionTable {
        Functions.global2(name) { (value, by, _) throws(EvaluationFailure) in
            guard case .int(let places) = by else { throw .mismatch(name, value, by) }
            guard places >= 0 else { throw EvaluationFailure("\(name) shifts by 0 places or more") }
            let distance = UInt64(min(places, 64))
            switch value {
            case .int(let number): return .int(Int64(bitPattern: body(UInt64(bitPattern: number), distance)))
            case .uint(let number): return .uint(body(number, distance))
            default: throw .mismatch(name, value, by)
            }
        }
    }
}
