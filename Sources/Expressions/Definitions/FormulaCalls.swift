/// The functions, methods and macros that a formula calls, with those of the definitions that it uses.
package struct FormulaCalls {
    /// A call: its name and the number of values besides the receiver of a method.
    package struct CalledName: Hashable, Sendable {
        /// The name, as `size` or `math.abs`.
        package let name: String
        package let count: Int
    }

    /// The calls, each once.
    package let all: Set<CalledName>
    /// The names that the formula reads, those that its macros bind among them.
    package let names: Set<String>
    /// True if the formula has a literal of an unsigned integer or of bytes.
    package let hasRareLiterals: Bool

    /// Reads a formula; nil if it cannot be parsed.
    package init?(_ source: String, _ definitions: [String: Definition]) {
        do throws(ExpressionFault) {
            var parser = try Parser(source)
            var calls: Set<CalledName> = []
            var names: Set<String> = []
            var hasRareLiterals = false
            try DefinitionExpansion.expand(parser.formula(), definitions).forEach { part in
                switch part.form {
                case .name(let name, _): names.insert(name)
                case .literal(.uint), .literal(.bytes): hasRareLiterals = true
                case .call(let name, let values, _): calls.insert(CalledName(name: name, count: values.count))
                case .method(let target, let name, let values):
                    var name = name
                    // A name before the dot can be that of a group of functions.
                    if case .name(let group, _) = target.form, Functions.isKnown("\(group).\(name)", isStrict: false) {
                        name = "\(group).\(name)"
                    }
                    calls.insert(CalledName(name: name, count: values.count))
                default: break
                }
            }
            (all, self.names, self.hasRareLiterals) = (calls, names, hasRareLiterals)
        } catch {
            return nil
        }
    }
}
