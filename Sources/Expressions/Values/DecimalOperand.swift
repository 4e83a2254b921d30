import JSON

extension LongDecimal {
    /// Returns two operands of which one is a decimal; nil if the other is neither a decimal nor an integer.
    static func pair(_ left: CELValue, _ right: CELValue) -> (LongDecimal, LongDecimal)? {
        guard let a = LongDecimal(operand: left), let b = LongDecimal(operand: right) else { return nil }
        return (a, b)
    }

    /// Creates the value of a decimal or an integer; nil for other values.
    init?(operand value: CELValue) {
        switch value {
        case .decimal(let number): self = number
        case .int(let number): self.init(number)
        case .uint(let number): self.init(unsigned: number)
        default: return nil
        }
    }

    /// Returns the result of a computation, and its fault as a failure.
    static func computed<Result>(
        _ body: () throws(ArithmeticFault) -> Result
    ) throws(EvaluationFailure) -> Result {
        do throws(ArithmeticFault) {
            return try body()
        } catch {
            throw EvaluationFailure(error)
        }
    }
}

extension EvaluationFailure {
    /// The failure of a decimal operation.
    init(_ fault: LongDecimal.ArithmeticFault) {
        switch fault {
        case .divisionByZero: self.init("division by zero")
        case .tooGreat:
            self.init("the decimal result has more than \(LongDecimal.wholeDigits) digits before the decimal point")
        }
    }
}
