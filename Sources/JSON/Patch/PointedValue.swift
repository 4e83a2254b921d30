extension JSON {
    /// Returns the value at a path.
    func value(at path: JSONPointer) throws(JSONPatchFault) -> JSON {
        var value = self
        for token in path.tokens {
            switch value {
            case .array(let elements): value = elements[try Self.index(token, below: elements.count, at: path)]
            case .object(let object):
                guard let member = object[token] else { throw JSONPatchFault(reason: .missing, path: path) }
                value = member
            default: throw JSONPatchFault(reason: .missing, path: path)
            }
        }
        return value
    }

    /// Inserts an element or sets a member; the empty path replaces the document (RFC 6902 §4.1).
    mutating func add(_ value: JSON, at path: JSONPointer) throws(JSONPatchFault) {
        guard let last = path.tokens.last else { return self = value }
        try withContainer(of: path) { container throws(JSONPatchFault) in
            switch container {
            case .array(var elements):
                let index = last == "-" ? elements.count : try Self.index(last, below: elements.count + 1, at: path)
                // The container is emptied first, so that the array has one owner and changes in place.
                container = .null
                elements.insert(value, at: index)
                container = .array(elements)
            case .object(var object):
                container = .null
                object[last] = value
                container = .object(object)
            default: throw JSONPatchFault(reason: .missing, path: path)
            }
        }
    }

    /// Removes an element or a member, and returns it (RFC 6902 §4.2).
    mutating func remove(at path: JSONPointer) throws(JSONPatchFault) -> JSON {
        guard let last = path.tokens.last else { throw JSONPatchFault(reason: .rootRemoved, path: path) }
        var removed = JSON.null
        try withContainer(of: path) { container throws(JSONPatchFault) in
            switch container {
            case .array(var elements):
                let index = try Self.index(last, below: elements.count, at: path)
                container = .null
                removed = elements.remove(at: index)
                container = .array(elements)
            case .object(var object):
                guard let value = object[last] else { throw JSONPatchFault(reason: .missing, path: path) }
                container = .null
                removed = value
                object[last] = nil
                container = .object(object)
            default: throw JSONPatchFault(reason: .missing, path: path)
            }
        }
        return removed
    }

    /// Replaces an existing value (RFC 6902 §4.3).
    mutating func replace(at path: JSONPointer, with value: JSON) throws(JSONPatchFault) {
        try descend(path.tokens[...], path) { place throws(JSONPatchFault) in place = value }
    }

    /// Runs `body` on the array or object that contains the value at a path. Precondition: the path is not empty.
    private mutating func withContainer(
        of path: JSONPointer, _ body: (inout JSON) throws(JSONPatchFault) -> Void
    ) throws(JSONPatchFault) {
        try descend(path.tokens.dropLast(), path, body)
    }

    /// Runs `body` on the value at the end of `tokens`, in place. Recurses once for each existing level.
    private mutating func descend(
        _ tokens: ArraySlice<String>, _ path: JSONPointer, _ body: (inout JSON) throws(JSONPatchFault) -> Void
    ) throws(JSONPatchFault) {
        guard let token = tokens.first else { return try body(&self) }
        switch self {
        case .array(var elements):
            let index = try Self.index(token, below: elements.count, at: path)
            self = .null
            try elements[index].descend(tokens.dropFirst(), path, body)
            self = .array(elements)
        case .object(var object):
            guard let position = object.position(of: token) else { throw JSONPatchFault(reason: .missing, path: path) }
            self = .null
            try object.members[position].value.descend(tokens.dropFirst(), path, body)
            self = .object(object)
        default: throw JSONPatchFault(reason: .missing, path: path)
        }
    }

    /// Returns the position that a token names (RFC 6901 §4).
    private static func index(_ token: String, below count: Int, at path: JSONPointer) throws(JSONPatchFault) -> Int {
        let digits = token.utf8
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.first != UInt8(ascii: "0") ? !digits.isEmpty : digits.count == 1
        else { throw JSONPatchFault(reason: .invalidIndex, path: path) }
        // Digits that do not fit an `Int` are beyond every array.
        guard let index = Int(token), index < count else { throw JSONPatchFault(reason: .indexOutOfRange, path: path) }
        return index
    }
}
