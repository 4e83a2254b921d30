import JSON

/// The functions `decimal` and `round`, which standard CEL does not have.
enum DecimalFunctions {
    static let table = Functions.tables(
        Functions.global("decimal") { (value, context) throws(EvaluationFailure) in
            try context.work(4)
            switch value {
            case .string(let text):
                try context.scan(text.utf8.count)
                guard text.utf8.count <= 1_000, let number = LongDecimal(text) else {
                    throw EvaluationFailure("the text cannot be read as a decimal; write it as '12.50'")
                }
                return .decimal(number)
            case .double:
                throw EvaluationFailure(
                    "decimal takes a text or an int, not a double, which is not exact; write decimal('0.9')")
            default:
                guard let number = LongDecimal(operand: value) else { throw .mismatch("decimal", value) }
                return .decimal(number)
            }
        },
        Functions.global2("round") { (value, places, context) throws(EvaluationFailure) in
            try context.work(4)
            guard let number = LongDecimal(operand: value), case .int(let count) = places else {
                if case .double = value {
                    throw EvaluationFailure(
                        "round takes a decimal, not a double; write decimal('0.9') for 0.9, or math.round(x)")
                }
                throw .mismatch("round", value, places)
            }
            guard -34...34 ~= count else {
                throw EvaluationFailure("round takes from -34 to 34 places")
            }
            return .decimal(
                try LongDecimal.computed { () throws(LongDecimal.ArithmeticFault) in
                    try number.rounded(places: Int(count))
                })
        })
}
