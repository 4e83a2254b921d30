/// The comparison of a call with a signature: the types that its variables stand for.
struct SignatureMatch {
    private var variables: [Character: ExpressionType] = [:]
    /// True if an argument fits only because its type is open.
    private(set) var isOpen = false

    /// Returns true if values of these types fit the parameters.
    mutating func fits(_ signature: FunctionSignature, _ types: [ExpressionType]) -> Bool {
        for (place, type) in types.enumerated() {
            guard signature.parameter(place).contains(where: { fits($0, type.withoutNull) }) else { return false }
        }
        return true
    }

    private mutating func fits(_ parameter: SignatureType, _ type: ExpressionType) -> Bool {
        switch (parameter, type) {
        case (.variable(let name), _): return bind(name, type)
        case (.plain(.dyn), _): return true
        case (_, .dyn):
            isOpen = true
            return true
        case (.plain(let wanted), _): return wanted == type
        case (.list(let wanted), .list(let element)): return fits(wanted, element.withoutNull)
        case (.map(let key, let value), .map(let givenKey, let given)):
            let fitsKey = fits(key, givenKey.withoutNull)
            return fits(value, given.withoutNull) && fitsKey
        case (.map(let key, let value), .object(let object)):
            let fitsKey = fits(key, .string)
            return fits(value, object.anyMember.withoutNull) && fitsKey
        default: return false
        }
    }

    private mutating func bind(_ name: Character, _ type: ExpressionType) -> Bool {
        switch name {
        case "N" where type != .dyn && !type.isNumber, "C" where type != .dyn && !type.isOrderable: return false
        default: break
        }
        guard let old = variables[name] else {
            variables[name] = type
            return true
        }
        if name == "N", Set([old, type]) == [.decimal, .double] { return false }
        variables[name] = old.joined(with: type)
        return true
    }

    /// Returns the type that a signature's result stands for.
    func result(_ type: SignatureType) -> ExpressionType {
        switch type {
        case .plain(let type): type
        case .variable(let name): variables[name] ?? .dyn
        case .list(let element): .list(result(element))
        case .map(let key, let value): .map(key: result(key), value: result(value))
        }
    }
}
