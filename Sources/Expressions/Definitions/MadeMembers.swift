/// The members of the value that a formula makes which have a value of a generator, such as `newId()`.
package struct MadeMembers {
    private let generator: String
    private let names: Set<String>

    /// The members by their paths, each once: the empty path is the value itself. A value that a name of `names` has counts
    /// as one of the generator.
    package let paths: Set<[String]>

    /// Reads a formula. One that cannot be parsed has no such member.
    package init(
        of source: String, calling generator: String, orNaming names: Set<String> = [],
        _ definitions: [String: Definition]
    ) {
        (self.generator, self.names) = (generator, names)
        var paths: Set<[String]> = []
        do throws(ExpressionFault) {
            var parser = try Parser(source)
            let formula = try DefinitionExpansion.expand(parser.formula(), definitions)
            Self.find(in: formula, [], generator, names, &paths)
        } catch {
            paths = []
        }
        self.paths = paths
    }

    private static func find(
        in part: Syntax, _ path: [String], _ generator: String, _ names: Set<String>, _ paths: inout Set<[String]>
    ) {
        switch part.form {
        case .map(let entries):
            for entry in entries {
                guard case .literal(.string(let name)) = entry.key.form else { continue }
                find(in: entry.value, path + ["\(name)"], generator, names, &paths)
            }
        case .conditional(_, let first, let second):
            for branch in [first, second] { find(in: branch, path, generator, names, &paths) }
        case .defined(_, _, let body): find(in: body, path, generator, names, &paths)
        default:
            part.forEach { inner in
                switch inner.form {
                case .call(let name, let values, _) where name == generator && values.isEmpty: paths.insert(path)
                case .name(let name, _) where names.contains(name): paths.insert(path)
                default: break
                }
            }
        }
    }
}
