/// A formula with a name and parameters, which other formulas call as a function.
package struct Definition: Sendable {
    /// The name of the function.
    package let name: String
    /// The parameters, in order.
    package let parameters: [(name: String, type: ExpressionType)]
    /// The place of the formula, for messages.
    package let place: String
    /// The formula.
    package let source: String
    let scalars: [Unicode.Scalar]
    let body: Syntax

    /// Parses a definition. Its types are checked where it is called.
    package init(
        _ name: String, _ parameters: [(name: String, type: ExpressionType)], _ source: String, at place: String
    ) throws(ExpressionFaults) {
        do throws(ExpressionFault) {
            var parser = try Parser(source)
            body = try parser.formula()
        } catch {
            throw ExpressionFaults([error])
        }
        (self.name, self.parameters, self.source, self.place) = (name, parameters, source, place)
        scalars = Array(source.unicodeScalars)
    }

    /// The names of the functions that the formula calls.
    package var calls: Set<String> {
        var names: Set<String> = []
        body.forEach { if case .call(let name, _, _) = $0.form { names.insert(name) } }
        return names
    }

    /// A call with its parameters, as `open(row)`.
    var call: String { "\(name)(\(parameters.map(\.name).joined(separator: ", ")))" }

    /// Returns true if formulas use a name otherwise, so that no definition can have it.
    package static func isTaken(_ name: String) -> Bool {
        Functions.isKnown(name, isStrict: false) || ["has", "newId", "index", "text"].contains(name)
            || CELType(rawValue: name) != nil || Lexeme.reserved.contains(name) || Lexeme.keywords.contains(name)
    }
}

/// The replacement of calls of definitions by their formulas.
struct DefinitionExpansion {
    private let definitions: [String: Definition]
    /// The number of parts so far, each of which has its identity.
    private var parts: Int
    /// The definitions that are being replaced.
    private var open: [String] = []

    /// Returns a formula with the definitions that it calls.
    static func expand(
        _ syntax: Syntax, _ definitions: [String: Definition]
    ) throws(ExpressionFault) -> Syntax {
        guard !definitions.isEmpty else { return syntax }
        // The part made last has the greatest identity.
        var expansion = DefinitionExpansion(definitions: definitions, parts: syntax.id)
        return try expansion.expand(syntax, at: nil)
    }

    private init(definitions: [String: Definition], parts: Int) {
        (self.definitions, self.parts) = (definitions, parts)
    }

    /// Expands a part; `offset` is the place of the call in the formula for a part of a definition.
    private mutating func expand(_ syntax: Syntax, at offset: Int?) throws(ExpressionFault) -> Syntax {
        var inner: [Syntax] = []
        for part in syntax.form.parts { inner.append(try expand(part, at: offset)) }
        let place = offset ?? syntax.offset
        var form = syntax.form.with(inner)
        if case .call(let name, let arguments, isAbsolute: false) = form, let definition = definitions[name] {
            guard !open.contains(name) else {
                throw ExpressionFault("\(name) calls itself: a definition cannot be recursive", at: place)
            }
            open.append(name)
            defer { open.removeLast() }
            let body = try expand(definition.body, at: place)
            inner = arguments + [body]
            form = .defined(name, arguments, body)
        }
        let height = 1 + (inner.map(\.height).max() ?? 0)
        guard height <= ExpressionLimits.nesting else {
            throw ExpressionFault(
                "with its definitions the formula is nested more than \(ExpressionLimits.nesting) deep", at: place)
        }
        var id = syntax.id
        if offset != nil {
            parts += 1
            id = parts
        }
        guard parts <= ExpressionLimits.nodes else {
            throw ExpressionFault(
                "with its definitions the formula has more than \(ExpressionLimits.nodes) parts", at: place)
        }
        return Syntax(offset: syntax.offset, range: syntax.range, id: id, height: height, form: form)
    }
}
