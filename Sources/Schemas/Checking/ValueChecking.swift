internal import Ground
package import JSON

extension ValueSchema {
    /// Returns the first fault of a value, or nil if it satisfies the schema.
    package func fault(in value: JSON) -> SchemaFault? { fault(in: value, at: JSONPointer()) }

    /// Returns the first fault of a value that is computed. Neither its words nor its place has a part of the value: `*`
    /// stands for a name that the schema does not have, and for the place in a list.
    package func computedFault(in value: JSON) -> SchemaFault? {
        fault(in: value).map { fault in
            SchemaFault(fault.bare, at: JSONPointer(place(fault.pointer.tokens[...])), allowed: fault.allowed)
        }
    }

    private func place(_ tokens: ArraySlice<String>) -> [String] {
        guard let token = tokens.first else { return [] }
        let rest = tokens.dropFirst()
        if let schema = property(token) { return [token] + schema.place(rest) }
        if let schema = alternatives.first(where: { $0.anyProperty(token) != nil }) { return schema.place(tokens) }
        if required.contains(token) { return [token] }
        if let items { return ["*"] + items.place(rest) }
        if case .values(let schema) = additional { return ["*"] + schema.place(rest) }
        return reference?.schema.place(tokens) ?? tokens.map { _ in "*" }
    }

    /// Returns the first fault of a value at a place in a greater document.
    package func fault(in value: JSON, at pointer: JSONPointer) -> SchemaFault? {
        guard isPrivate else { return wholeFault(in: value, at: pointer) }
        // The names of members and the places in a private value are part of it.
        return wholeFault(in: value, at: pointer).map { fault in
            fault.pointer == pointer ? fault : SchemaFault("the value does not satisfy its schema", at: pointer)
        }
    }

    private func wholeFault(in value: JSON, at pointer: JSONPointer) -> SchemaFault? {
        if let fault = reference?.schema.fault(in: value, at: pointer) { return fault }
        if let nullable, value != .null, let fault = nullable.fault(in: value, at: pointer) { return fault }
        if let fault = union?.fault(in: value, at: pointer) { return fault }
        if let fault = kindFault(value, at: pointer) ?? choiceFault(value, at: pointer) { return fault }
        return switch value {
        case .null, .bool: nil
        case .number(let number): numbers.demand(on: number).map { SchemaFault("the value \($0)", at: pointer) }
        case .string(let text): textFault(text, at: pointer)
        case .array(let elements): listFault(elements, at: pointer)
        case .object(let object): objectFault(object, at: pointer)
        }
    }

    private func kindFault(_ value: JSON, at pointer: JSONPointer) -> SchemaFault? {
        guard let kinds else { return nil }
        let isPermitted =
            switch value {
            case .null: kinds.contains(.null)
            case .bool: kinds.contains(.boolean)
            case .string: kinds.contains(.string)
            case .array: kinds.contains(.array)
            case .object: kinds.contains(.object)
            case .number(let number): kinds.contains(.number) || kinds.contains(.integer) && number.int64 != nil
            }
        guard !isPermitted else { return nil }
        // Null is named if nothing else is permitted, as for the optional fields of features in Swift.
        let wanted = SchemaKind.allCases.filter { kinds.contains($0) && ($0 != .null || kinds.count == 1) }
            .map(\.phrase)
        let list = wanted.dropLast().joined(separator: ", ") + (wanted.count > 1 ? " or " : "") + (wanted.last ?? "")
        if case .number(let number) = value, kinds.contains(.integer) {
            let isWhole = number.exponent >= 0
            return SchemaFault(
                isWhole ? "the number does not fit 64 bits" : "expected \(list), found a number with a fraction",
                at: pointer)
        }
        return SchemaFault("expected \(list), found \(value.kind.phrased)", at: pointer)
    }

    private func choiceFault(_ value: JSON, at pointer: JSONPointer) -> SchemaFault? {
        if let constant, constant != value {
            return SchemaFault("the value must be \(constant.brief)", at: pointer, allowed: [constant.brief])
        }
        guard let choices, !choices.contains(value) else { return nil }
        var allowed = choices.prefix(32).map(\.brief)
        var hint = ""
        if case .string(let text) = value {
            let names = choices.compactMap { if case .string(let name) = $0 { name } else { nil } }
            hint = Spelling.nearest(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
            if names.count == choices.count { allowed = Array(names.prefix(32)) }
        }
        let demand = "the value must be one of \(allowed.joined(separator: ", "))" + (choices.count > 32 ? ", …" : "")
        return SchemaFault(demand + hint, bare: demand, at: pointer, allowed: allowed)
    }

    private func textFault(_ text: String, at pointer: JSONPointer) -> SchemaFault? {
        if let (demand, found) = texts.demand(on: text) {
            return SchemaFault("the value \(demand)\(found)", bare: "the value \(demand)", at: pointer)
        }
        return format?.demand(on: text).map { SchemaFault("the value \($0)", at: pointer) }
    }

    private func listFault(_ elements: [JSON], at pointer: JSONPointer) -> SchemaFault? {
        if let least = lists.least, elements.count < least {
            let demand = "the list must have \(least) or more elements"
            return SchemaFault("\(demand), not \(elements.count)", bare: demand, at: pointer)
        }
        if let most = lists.most, elements.count > most {
            let demand = "the list must have \(most) or fewer elements"
            return SchemaFault("\(demand), not \(elements.count)", bare: demand, at: pointer)
        }
        if lists.isUnique {
            // A refusal must not tell that a private part was guessed.
            let items = items.flatMap { $0.hasPrivateParts ? $0 : nil }
            let elements = items.map { items in elements.map { items.withholding($0).value } } ?? elements
            var known: Set<JSON> = []
            for (place, element) in elements.enumerated() where !known.insert(element).inserted {
                return SchemaFault("the element is in the list twice", at: pointer.appending("\(place)"))
            }
        }
        guard let items else { return nil }
        for (place, element) in elements.enumerated() {
            if let fault = items.fault(in: element, at: pointer.appending("\(place)")) { return fault }
        }
        return nil
    }

    private func objectFault(_ object: JSON.Object, at pointer: JSONPointer) -> SchemaFault? {
        for member in object {
            if let schema = property(member.key) {
                if let fault = schema.fault(in: member.value, at: pointer.appending(member.key)) { return fault }
                continue
            }
            switch additional {
            case .anything: break
            case .values(let schema):
                if let fault = schema.fault(in: member.value, at: pointer.appending(member.key)) { return fault }
            case .refused:
                let names = properties.map(\.name)
                let hint = Spelling.nearest(to: member.key, among: names).map { "; did you mean \($0)?" } ?? ""
                return SchemaFault(
                    "the member \"\(member.key.prefix(64))\" is unknown\(hint)", bare: "a member is unknown",
                    at: pointer.appending(member.key), allowed: names)
            }
        }
        for name in required where object[name] == nil {
            return SchemaFault("the member \"\(name.prefix(64))\" is missing", at: pointer.appending(name))
        }
        return nil
    }
}

extension JSON {
    /// The value as text, shortened to 64 characters.
    fileprivate var brief: String {
        let text = description
        return text.count <= 64 ? text : text.prefix(63) + "…"
    }
}

extension JSON.Kind {
    /// The kind with its article.
    fileprivate var phrased: String {
        switch self {
        case .null: "null"
        case .array, .object: "an \(rawValue)"
        case .boolean, .number, .string: "a \(rawValue)"
        }
    }
}
