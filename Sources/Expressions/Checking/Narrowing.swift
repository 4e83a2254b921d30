/// A condition on the member that tells the branches of a union apart, which holds where a part is checked.
struct Narrowing {
    /// The source of the object, without spaces.
    let path: String
    /// The variable that it begins with.
    let root: String
    let member: String
    let values: Set<String>
    /// True if the member has one of the values; false if it has none of them.
    let isIn: Bool
    /// The number of macro variables that were declared.
    let locals: Int
}

extension Checker {
    /// Checks a part under the condition that another one is true, or is false.
    mutating func assuming<Result>(
        _ conditions: [(syntax: Syntax, isTrue: Bool)], _ body: (inout Checker) -> Result
    ) -> Result {
        let count = narrowings.count
        for (syntax, isTrue) in conditions { assume(syntax, isTrue) }
        defer { narrowings.removeLast(narrowings.count - count) }
        return body(&self)
    }

    /// Notes what follows from the truth of a condition.
    mutating func assume(_ syntax: Syntax, _ isTrue: Bool) {
        switch syntax.form {
        case .not(let operand): assume(operand, !isTrue)
        case .and(let parts) where isTrue: for part in parts { assume(part, true) }
        case .or(let parts) where !isTrue: for part in parts { assume(part, false) }
        case .binary(.equal, let left, let right): note(left, right, isIn: isTrue)
        case .binary(.different, let left, let right): note(left, right, isIn: !isTrue)
        case .binary(.in, let left, let right):
            guard case .list(let elements) = right.form else { return }
            let values = elements.compactMap(Self.text)
            if values.count == elements.count { note(left, Set(values), isIn: isTrue) }
        default: break
        }
    }

    private mutating func note(_ left: Syntax, _ right: Syntax, isIn: Bool) {
        if let value = Self.text(right) {
            note(left, [value], isIn: isIn)
        } else if let value = Self.text(left) {
            note(right, [value], isIn: isIn)
        }
    }

    private mutating func note(_ syntax: Syntax, _ values: Set<String>, isIn: Bool) {
        let (operand, member): (Syntax, String)
        switch syntax.form {
        case .member(let object, let name): (operand, member) = (object, name)
        case .index(let object, let index):
            guard let name = Self.text(index) else { return }
            (operand, member) = (object, name)
        default: return
        }
        let path = path(of: operand)
        narrowings.append(
            Narrowing(
                path: path, root: Self.root(of: path), member: member, values: values, isIn: isIn, locals: locals.count)
        )
    }

    private static func text(_ syntax: Syntax) -> String? {
        if case .literal(.string(let text)) = syntax.form { text } else { nil }
    }

    private func path(of syntax: Syntax) -> String { text(of: syntax).filter { !$0.isWhitespace } }

    private static func root(of path: String) -> String {
        String(path.prefix { $0 == "_" || $0.isLetter || $0.isNumber })
    }

    /// The branches of a union that an object can have where it is read.
    func branches(of union: ObjectUnion, _ operand: Syntax) -> [ObjectUnion.UnionBranch] {
        if narrowings.isEmpty { return union.branches }
        let path = path(of: operand)
        let own = narrowings.filter { narrowing in
            // A variable of a macro within hides the one that the condition was about.
            narrowing.path == path && narrowing.member == union.discriminator
                && !locals[min(narrowing.locals, locals.count)...].contains { $0.name == narrowing.root }
        }
        return union.branches.filter { branch in
            own.allSatisfy { $0.values.contains(branch.value) == $0.isIn }
        }
    }

    /// Returns the type of a member of a union; nil if none of its branches has it. A member that some of the possible
    /// branches lack is a fault.
    mutating func member(
        _ name: String, of union: ObjectUnion, _ operand: Syntax, _ syntax: Syntax
    ) -> ExpressionType? {
        let possible = branches(of: union, operand)
        let found = possible.filter { $0.type.member(name) != nil || $0.type.rest != nil }
        guard !found.isEmpty else {
            let others = union.branches.filter { $0.type.member(name) != nil }
            if others.isEmpty || possible.count == union.branches.count { return nil }
            faultOfBranches(name, others, union, operand, syntax)
            return .dyn
        }
        if found.count < possible.count { faultOfBranches(name, found, union, operand, syntax) }
        var type: ExpressionType?
        for branch in found {
            let next = branch.type.member(name)?.type ?? branch.type.rest ?? .dyn
            type = type.map { join($0, next) } ?? next
        }
        return type
    }

    private mutating func faultOfBranches(
        _ name: String, _ branches: [ObjectUnion.UnionBranch], _ union: ObjectUnion, _ operand: Syntax, _ syntax: Syntax
    ) {
        guard listsFaults else { return }
        let values = branches.prefix(8).map { "'\($0.value)'" }.joined(separator: ", ")
        let place = "\(path(of: operand).prefix(64)).\(union.discriminator)"
        fault(
            "the member \(name.brief) is there only if \(place) is \(values): write \(place) == '\(branches[0].value)' && … before",
            syntax)
    }

    /// Returns what follows from the truth of a condition elsewhere.
    static func narrowings(from condition: String) -> [Narrowing] {
        guard var parser = try? Parser(condition), let syntax = try? parser.formula() else { return [] }
        var checker = Checker(condition, [])
        checker.assume(syntax, true)
        return checker.narrowings
    }
}
