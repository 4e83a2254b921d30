import JSON

/// A parameter of an operator: its name, its schema and its reader.
struct Parameter<Value: Sendable>: Sendable {
    let name: String
    let schema: JSON
    /// Reads the value, or notes a fault.
    let read: @Sendable (JSON, DocumentPlace, inout DefinitionReader) -> Value?
}

/// A parameter without its type, for schemas.
struct ParameterDescription: Sendable {
    let name: String
    let isRequired: Bool
    let schema: JSON
}

extension Parameter where Value == OperatorExpression {
    /// An expression that sees `value` and other variables.
    static func expression(_ name: String = "expression", seeing others: String...) -> Parameter {
        let words = (["value"] + others).map { "`\($0)`" }.joined(separator: ", ")
        return Parameter(
            name: name,
            schema: [
                "type": "string", "maxLength": .number(Decimal(StreamLimits.expressionCharacters)),
                "description": .string(
                    "An expression in CEL that sees \(words), and `outer` within a source that is run for each value."),
            ]
        ) { value, place, reader in
            OperatorExpression(value, at: place, seeing: ["value"] + others, &reader)
        }
    }
}

extension OperatorExpression {
    /// Reads an expression that sees these variables and, within a source that is run for each value, `outer`.
    init?(_ value: JSON, at place: DocumentPlace, seeing names: [String], _ reader: inout DefinitionReader) {
        guard let source = reader.string(value, at: place, "an expression") else { return nil }
        guard source.unicodeScalars.count <= StreamLimits.expressionCharacters else {
            reader.note("the expression is longer than \(StreamLimits.expressionCharacters) characters", at: place)
            return nil
        }
        do throws(FormulaFault) {
            let formula = try reader.formulas.read(source, names + (place.seesOuter ? ["outer"] : []))
            self.init(formula: formula, pointer: place.pointer, seesOuter: place.seesOuter)
        } catch {
            reader.note(
                "the expression cannot be read: \(error.description) (character \(error.offset + 1))", at: place)
            return nil
        }
    }
}

extension Parameter where Value == Int {
    /// A whole number.
    static func count(_ name: String = "count", in range: ClosedRange<Int>) -> Parameter {
        Parameter(
            name: name,
            schema: [
                "type": "integer", "minimum": .number(Decimal(range.lowerBound)),
                "maximum": .number(Decimal(range.upperBound)),
            ]
        ) { value, place, reader in
            guard case .number(let number) = value, let whole = number.int64, let count = Int(exactly: whole),
                range.contains(count)
            else {
                reader.note(
                    "\"\(name)\" must be a whole number from \(range.lowerBound) to \(range.upperBound), "
                        + "not \(value.shown)",
                    at: place)
                return nil
            }
            return count
        }
    }
}

extension Parameter where Value == Duration {
    /// A number of seconds.
    static func seconds(atLeastMilliseconds least: Int = 0) -> Parameter {
        let least = Decimal.thousandths(least)
        let most = Decimal(StreamLimits.seconds)
        return Parameter(
            name: "seconds", schema: ["type": "number", "minimum": .number(least), "maximum": .number(most)]
        ) {
            value, place, reader in
            guard case .number(let seconds) = value, seconds >= least, seconds <= most else {
                reader.note("\"seconds\" must be a number from \(least) to \(most), not \(value.shown)", at: place)
                return nil
            }
            return seconds.duration
        }
    }
}

extension Parameter where Value == Bool {
    /// True or false.
    static func flag(_ name: String) -> Parameter {
        Parameter(name: name, schema: ["type": "boolean"]) { value, place, reader in
            guard case .bool(let flag) = value else {
                reader.note("\"\(name)\" must be true or false, not \(value.shown)", at: place)
                return nil
            }
            return flag
        }
    }
}

extension Parameter where Value == JSON {
    /// Any value.
    static func value(_ name: String) -> Parameter {
        Parameter(name: name, schema: [:]) { value, _, _ in value }
    }
}

extension Parameter where Value == [JSON] {
    /// Any values.
    static func values(_ name: String = "values") -> Parameter {
        Parameter(
            name: name, schema: ["type": "array", "maxItems": .number(Decimal(StreamLimits.items)), "items": [:]]
        ) {
            value, place, reader in
            guard let values = reader.array(value, at: place, "\"\(name)\"") else { return nil }
            if values.count > StreamLimits.items {
                reader.note("\"\(name)\" has more than \(StreamLimits.items) values", at: place)
            }
            return values
        }
    }
}

extension Parameter where Value == Pipeline {
    /// A source. If it runs for each value, its expressions see that value as `outer`.
    static func source(_ name: String = "source", seesOuter: Bool = false) -> Parameter {
        Parameter(name: name, schema: ["$ref": "#/components/schemas/StreamSource"]) { value, place, reader in
            var place = place
            if seesOuter { place.seesOuter = true }
            return Pipeline(source: value, at: place, &reader)
        }
    }
}
