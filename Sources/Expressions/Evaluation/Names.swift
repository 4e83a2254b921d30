extension Compiler {
    /// Compiles a variable, possibly with dots in its name, and the members read from it.
    mutating func path(_ syntax: Syntax) throws(ExpressionFault) -> CompiledPart {
        guard let (root, members, isAbsolute) = syntax.dotted else {
            guard case .member(let operand, let name) = syntax.form else {
                return try unknown("expected a name", at: syntax.offset)
            }
            return MemberAccess.member(try compile(operand), name, readings[syntax.id])
        }
        if !isAbsolute, let place = locals.lastIndex(where: { $0.name == root }) {
            let variable = CompiledPart(slot: names.count + place, length: locals[place].length)
            return access(variable, members[...], readings[syntax.id])
        }
        // The longest declared name wins.
        for count in (0...members.count).reversed() {
            let name = ([root] + members[..<count]).joined(separator: ".")
            if let place = names.lastIndex(of: name) {
                return access(CompiledPart(slot: place, length: nil), members[count...], readings[syntax.id])
            }
            if let type = CELType(rawValue: name), type != .decimal || dialect == .computing {
                return members[count...].reduce(CompiledPart(.type(type))) { MemberAccess.member($0, $1) }
            }
        }
        let declared =
            names.isEmpty ? "no names are declared" : "the declared names are " + names.joined(separator: ", ")
        return try unknown("unknown name '\(root)'; \(declared)", at: syntax.dottedOffset)
    }

    /// Compiles a variable and the members read from it, of which the last is converted.
    private func access(_ variable: CompiledPart, _ members: ArraySlice<String>, _ reading: Reading?) -> CompiledPart {
        guard let last = members.last else { return MemberAccess.variable(variable, reading) }
        let operand = members.dropLast().reduce(variable) { MemberAccess.member($0, $1) }
        return MemberAccess.member(operand, last, reading)
    }

    /// Returns true if the name is a variable in this scope.
    func isVariable(_ name: String) -> Bool {
        locals.contains { $0.name == name } || names.contains(name)
    }
}

extension Syntax {
    /// The root name and its members, if the syntax is a dotted name.
    var dotted: (root: String, members: [String], isAbsolute: Bool)? {
        switch form {
        case .name(let name, let isAbsolute): return (name, [], isAbsolute)
        case .member(let operand, let name):
            guard let (root, members, isAbsolute) = operand.dotted else { return nil }
            return (root, members + [name], isAbsolute)
        default: return nil
        }
    }

    /// The offset of the dotted name's root.
    var dottedOffset: Int {
        if case .member(let operand, _) = form { operand.dottedOffset } else { offset }
    }
}
