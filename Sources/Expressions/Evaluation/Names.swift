extension Compiler {
    /// A variable, perhaps with points in its name, and the members that are asked of it.
    mutating func path(_ syntax: Syntax) throws(ExpressionFault) -> CompiledPart {
        guard let (root, members, isAbsolute) = syntax.dotted else {
            guard case .member(let operand, let name) = syntax.form else { return try unknown("expected a name", at: syntax.offset) }
            return MemberAccess.member(try compile(operand), name)
        }
        if !isAbsolute, let place = locals.lastIndex(where: { $0.name == root }) {
            let variable = CompiledPart(slot: names.count + place, length: locals[place].length)
            return members.reduce(variable) { MemberAccess.member($0, $1) }
        }
        // The longest name that is declared is the one that is meant.
        for count in (0...members.count).reversed() {
            let name = ([root] + members[..<count]).joined(separator: ".")
            if let place = names.lastIndex(of: name) {
                return members[count...].reduce(CompiledPart(slot: place, length: nil)) { MemberAccess.member($0, $1) }
            }
            if let type = CELType(rawValue: name) {
                return members[count...].reduce(CompiledPart(.type(type))) { MemberAccess.member($0, $1) }
            }
        }
        let declared = names.isEmpty ? "there are no names here" : "there is " + names.joined(separator: ", ")
        return try unknown("there is no name '\(root)'; \(declared)", at: syntax.dottedOffset)
    }

    /// Whether a name is a variable here.
    func isVariable(_ name: String) -> Bool {
        locals.contains { $0.name == name } || names.contains(name)
    }
}

extension Syntax {
    /// A name and the members asked of it, where it is nothing else.
    var dotted: (root: String, members: [String], isAbsolute: Bool)? {
        switch form {
        case .name(let name, let isAbsolute): return (name, [], isAbsolute)
        case .member(let operand, let name):
            guard let (root, members, isAbsolute) = operand.dotted else { return nil }
            return (root, members + [name], isAbsolute)
        default: return nil
        }
    }

    /// Where a dotted name begins.
    var dottedOffset: Int {
        if case .member(let operand, _) = form { operand.dottedOffset } else { offset }
    }
}
