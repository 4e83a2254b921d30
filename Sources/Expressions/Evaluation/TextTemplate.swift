import Ground
import JSON

/// A text with formulas in braces, such as `card {input.id} exists already`. Two braces stand for one.
package struct TextTemplate: Sendable {
    private enum TemplatePart: Sendable {
        case text(String)
        case formula(Expression)
    }

    /// The source text.
    package let source: String
    /// The estimated cost of an evaluation in steps.
    package let cost: Int
    /// The parts of the variables that the formulas read.
    package let reads: [ExpressionRead]
    private let parts: [TemplatePart]

    /// Parses a text and checks its formulas. Throws the faults; their offsets and ranges are in the text. The limits
    /// of a formula on length, cost and faults hold for the text as a whole.
    package init(
        _ source: String, types: [(name: String, type: ExpressionType)], definitions: [String: Definition] = [:]
    ) throws(ExpressionFaults) {
        var parts: [TemplatePart] = []
        var faults: [ExpressionFault] = []
        for piece in try Self.pieces(of: source) {
            guard piece.isFormula else {
                parts.append(.text(piece.text))
                continue
            }
            do throws(ExpressionFaults) {
                parts.append(.formula(try Expression(piece.text, types: types, definitions: definitions)))
            } catch {
                faults += error.all.map { $0.moved(by: piece.offset) }
                guard faults.count < Checker.greatestFaults else { break }
            }
        }
        guard faults.isEmpty else { throw ExpressionFaults(Array(faults.prefix(Checker.greatestFaults))) }
        let formulas = parts.compactMap { if case .formula(let formula) = $0 { formula } else { nil } }
        cost = .cost(formulas.map(\.cost))
        guard cost <= ExpressionLimits.cost else {
            throw ExpressionFaults([
                ExpressionFault(
                    "the formulas of this text would take \(cost) steps, more than the \(ExpressionLimits.cost) allowed",
                    at: 0)
            ])
        }
        self.source = source
        self.parts = parts
        reads = formulas.flatMap { $0.reads ?? [] }
    }

    /// Evaluates the formulas and returns the text. A string is inserted as it is, any other value as JSON, at most 200
    /// characters of each; a text longer than 1,000 characters is cut there. The limit of steps holds for all formulas
    /// together.
    package func text(_ inputs: [ExpressionInput], steps: inout Int) throws(EvaluationFailure) -> String {
        var result = ""
        let start = steps
        for part in parts {
            guard steps - start <= ExpressionLimits.steps else { throw EvaluationContext.tooLong }
            switch part {
            case .text(let text): result += text
            case .formula(let formula):
                let value = try formula.evaluate(inputs, steps: &steps)
                let text = if case .string(let text) = value { text } else { value.description }
                result += text.excerpt
            }
            if result.utf8.count > Self.greatestLength { result = String(result.prefix(Self.greatestLength)) }
        }
        return result
    }

    private static let greatestLength = 1_000

    private struct TemplatePiece {
        var text: String
        let offset: Int
        let isFormula: Bool
    }

    /// Splits the source. A brace within a text literal or a map of a formula does not end the formula.
    private static func pieces(of source: String) throws(ExpressionFaults) -> [TemplatePiece] {
        let scalars = Array(source.unicodeScalars)
        guard scalars.count <= ExpressionLimits.sourceLength else {
            throw ExpressionFaults([
                ExpressionFault(
                    "the text has \(scalars.count) characters; the limit is \(ExpressionLimits.sourceLength)",
                    at: ExpressionLimits.sourceLength)
            ])
        }
        var pieces: [TemplatePiece] = []
        var plain = ""
        var place = 0
        while place < scalars.count {
            let scalar = scalars[place]
            let isDouble = place + 1 < scalars.count && scalars[place + 1] == scalar
            if scalar == "{" || scalar == "}", isDouble {
                plain.unicodeScalars.append(scalar)
                place += 2
            } else if scalar == "{" {
                guard let end = try end(of: scalars, from: place + 1) else {
                    throw ExpressionFaults([
                        ExpressionFault("this brace is not closed; write {{ for a brace", at: place)
                    ])
                }
                pieces.append(TemplatePiece(text: plain, offset: 0, isFormula: false))
                plain = ""
                let formula = String(String.UnicodeScalarView(scalars[(place + 1)..<end]))
                pieces.append(TemplatePiece(text: formula, offset: place + 1, isFormula: true))
                place = end + 1
            } else if scalar == "}" {
                throw ExpressionFaults([ExpressionFault("this brace closes none; write }} for a brace", at: place)])
            } else {
                plain.unicodeScalars.append(scalar)
                place += 1
            }
        }
        pieces.append(TemplatePiece(text: plain, offset: 0, isFormula: false))
        return pieces.filter { $0.isFormula || !$0.text.isEmpty }
    }

    /// Returns the place of the brace that ends a formula.
    private static func end(of scalars: [Unicode.Scalar], from start: Int) throws(ExpressionFaults) -> Int? {
        var lexer = Lexer(scalars, from: start)
        var depth = 0
        do throws(ExpressionFault) {
            while true {
                let lexeme = try lexer.next()
                switch lexeme.form {
                case .end: return nil
                case .sign("{"): depth += 1
                case .sign("}"):
                    if depth == 0 { return lexeme.offset }
                    depth -= 1
                default: break
                }
            }
        } catch {
            throw ExpressionFaults([error])
        }
    }
}
