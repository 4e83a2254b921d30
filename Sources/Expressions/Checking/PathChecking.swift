import JSON

extension Checker {
    /// Checks a name, and the members that are read from it.
    mutating func path(_ syntax: Syntax) -> CheckedPart {
        if let part = declared(syntax) { return part }
        guard case .member(let operand, let name) = syntax.form else {
            unknownName(syntax)
            return CheckedPart(.dyn)
        }
        if missesIndex(operand, name, syntax) { return CheckedPart(.dyn) }
        return member(name, of: check(operand), operand, syntax)
    }

    /// Returns the variable or the type that a dotted name stands for, or nil if it stands for none as a whole.
    private func declared(_ syntax: Syntax) -> CheckedPart? {
        guard let dotted = syntax.dotted else { return nil }
        if !dotted.isAbsolute, let local = locals.last(where: { $0.name == dotted.root }) {
            return dotted.members.isEmpty ? local.part : nil
        }
        let name = ([dotted.root] + dotted.members).joined(separator: ".")
        if let variable = names.last(where: { $0.name == name }) { return variable.part }
        return CELType(rawValue: name) == nil ? nil : CheckedPart(.type)
    }

    private mutating func unknownName(_ syntax: Syntax) {
        guard listsFaults, case .name(let name, _) = syntax.form else { return }
        let all = locals.map(\.name) + names.map(\.name)
        // The root of a declared name with dots is no variable itself.
        if names.contains(where: { $0.name.hasPrefix(name + ".") }) {
            return fault("'\(name)' is not a value; write one of its members", syntax, allowed: all)
        }
        let listed =
            names.isEmpty
            ? "no names are declared" : "the declared names are " + names.map(\.name).joined(separator: ", ")
        let hint = Suggestion.text(name, all)
        fault("unknown name '\(name)'" + (hint.isEmpty ? "; " + listed : hint), syntax, allowed: all)
    }

    /// Checks the access to a member.
    mutating func member(
        _ name: String, of operand: CheckedPart, _ object: Syntax, _ syntax: Syntax
    ) -> CheckedPart {
        let place = operand.place?.appending(.member(name))
        switch operand.type.withoutNull.mapped {
        case .dyn: return CheckedPart(.dyn, place)
        case .map(.string, let value), .map(.dyn, let value): return CheckedPart(value, place)
        case .object(let type):
            if let union = type.union {
                if let found = member(name, of: union, object, syntax) { return CheckedPart(found, place) }
            } else if let found = type.member(name)?.type ?? type.rest {
                return CheckedPart(found, place)
            }
            guard listsFaults else { return CheckedPart(.dyn) }
            let members = type.members.map(\.name)
            let end = syntax.range.upperBound
            let start = max(syntax.range.lowerBound, end - name.unicodeScalars.count)
            fault(
                "there is no member \(name.brief)" + Suggestion.text(name, members), at: start, in: start..<end,
                allowed: members)
        default: fault("cannot read member \(name.brief) of \(operand.type)", syntax)
        }
        return CheckedPart(.dyn)
    }

    /// Checks `operand[index]`.
    mutating func index(_ operand: Syntax, _ index: Syntax, _ syntax: Syntax) -> CheckedPart {
        let part = check(operand)
        let key = value(index)
        let place = part.place?.appending(.entry(self.key(index)))
        switch (part.type.withoutNull.mapped, key.withoutNull) {
        case (.dyn, _): return CheckedPart(.dyn, place)
        case (.list(let element), let key):
            guard key.isNumber || key == .dyn else {
                fault("a list index is a number, not \(key)", index)
                return CheckedPart(.dyn)
            }
            return CheckedPart(element, place)
        case (.map(let declared, let value), let key):
            guard areComparable(declared, key) else {
                fault("a key of this map is a \(declared), not \(key)", index)
                return CheckedPart(.dyn)
            }
            return CheckedPart(value, place)
        case (.object(let object), .string), (.object(let object), .dyn):
            if case .literal(.string(let name)) = index.form {
                if object.member(name) != nil { return member(name, of: part, operand, syntax) }
                if let rest = object.rest { return CheckedPart(rest, place) }
                guard listsFaults else { return CheckedPart(.dyn) }
                let members = object.members.map(\.name)
                fault("there is no member \(name.brief)" + Suggestion.text(name, members), index, allowed: members)
                return CheckedPart(.dyn)
            }
            return CheckedPart(anyMember(object), place)
        case (.object, let key): fault("the name of a member is a string, not \(key)", index)
        default: fault("cannot read [\(text(of: index).brief)] of \(part.type)", syntax)
        }
        return CheckedPart(.dyn)
    }

    /// Returns the key that an index stands for.
    func key(_ syntax: Syntax) -> ExpressionRead.ReadKey {
        if case .literal(let value) = syntax.form {
            switch value {
            case .string(let text): return .literal(.string(text))
            case .int(let number): return .literal(.number(Decimal(number)))
            case .bool(let truth): return .literal(.bool(truth))
            default: break
            }
        }
        return usesLocals(syntax) ? .any : .formula(text(of: syntax))
    }

    /// The source of a part.
    func text(of syntax: Syntax) -> String {
        String(String.UnicodeScalarView(source[syntax.range.clamped(to: 0..<source.count)]))
    }

    /// True if a part mentions a variable of a macro. Names are compared as the source writes them, so a variable that
    /// an inner macro declares counts too.
    private func usesLocals(_ syntax: Syntax) -> Bool {
        guard !locals.isEmpty else { return false }
        let words = Set(text(of: syntax).split { !($0 == "_" || $0.isLetter || $0.isNumber) }.map(String.init))
        return locals.contains { words.contains($0.name) }
    }
}
