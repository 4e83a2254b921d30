import JSON

/// A text with formulas in braces, such as `card {input.id} exists already`. Two braces stand for one.
public struct TextTemplate: Sendable {
    private enum TemplatePart: Sendable {
        case text(String)
        case formula(Expression)
    }

    /// The source text.
    public let source: String
    /// The estimated cost of an evaluation in steps.
    public let cost: Int
    /// The parts of the variables that the formulas read.
    public let reads: [ExpressionRead]
    private let parts: [TemplatePart]

    /// Parses a text and checks its formulas. Throws all faults; their offsets and ranges are in the text.
    public init(
        _ source: String, types: [(name: String, type: ExpressionType)]
    ) throws(ExpressionFaults) {
        var parts: [TemplatePart] = []
        var faults: [ExpressionFault] = []
        for piece in try Self.pieces(of: source) {
            guard piece.isFormula else {
                parts.append(.text(piece.text))
                continue
            }
            do throws(ExpressionFaults) {
                parts.append(.formula(try Expression(piece.text, types: types)))
            } catch {
                faults += error.all.map { $0.moved(by: piece.offset) }
            }
        }
        guard faults.isEmpty else { throw ExpressionFaults(faults) }
        self.source = source
        self.parts = parts
        let formulas = parts.compactMap { if case .formula(let formula) = $0 { formula } else { nil } }
        cost = .cost(formulas.map(\.cost))
        reads = formulas.flatMap { $0.reads ?? [] }
    }

    /// Evaluates the formulas and returns the text. A string is inserted as it is, any other value as JSON; a text
    /// longer than 1,000 characters is cut there.
    public func text(_ inputs: [ExpressionInput], steps: inout Int) throws(EvaluationFailure) -> String {
        var result = ""
        for part in parts {
            switch part {
            case .text(let text): result += text
            case .formula(let formula):
                let value = try formula.evaluate(inputs, steps: &steps)
                let text = if case .string(let text) = value { text } else { value.description }
                result += text.prefix(Self.greatestLength)
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

    /// Splits the source. A brace within a text literal of a formula does not end the formula.
    private static func pieces(of source: String) throws(ExpressionFaults) -> [TemplatePiece] {
        let scalars = Array(source.unicodeScalars)
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
                guard let end = end(of: scalars, from: place + 1) else {
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
    private static func end(of scalars: [Unicode.Scalar], from start: Int) -> Int? {
        var depth = 0
        var quote: Unicode.Scalar?
        var place = start
        while place < scalars.count {
            let scalar = scalars[place]
            if let open = quote {
                if scalar == "\\" { place += 1 }
                if scalar == open { quote = nil }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
            } else if scalar == "{" {
                depth += 1
            } else if scalar == "}" {
                if depth == 0 { return place }
                depth -= 1
            }
            place += 1
        }
        return nil
    }
}
