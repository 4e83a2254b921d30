internal import JSON
internal import StateStore

/// Facts as two members of an object: `changed` has each variable's new value, or an object of changed entries with
/// `null` for a removed one; `partial`, which is optional, lists the variables that changed by entry.
enum FactsText {
    /// Values are nested two levels deeper here than alone, and rows of described features one more.
    static let depthLimit = JSONReader.depthLimit + 3
    private static let names = MemberNames(["changed", "partial"])

    /// Writes both members. Precondition: the facts of a variable are adjacent: either one for the whole value, or some
    /// for entries.
    static func write(_ facts: Facts, to writer: inout JSONWriter) {
        var partial: [String] = []
        writer.field(0, of: names) { partial = write(changed: facts, to: &$0) }
        if !partial.isEmpty { writer.field(1, of: names, partial) }
    }

    /// Writes `changed`, and returns the variables for `partial`.
    @discardableResult
    static func write(changed facts: Facts, to writer: inout JSONWriter) -> [String] {
        var partial: [String] = []
        writer.object { writer in
            var index = 0
            while index < facts.count {
                let fact = facts[index]
                guard fact.entry != nil else {
                    writer.field(fact.variable, written: fact.value ?? null)
                    index += 1
                    continue
                }
                partial.append(fact.variable)
                writer.field(fact.variable) { writer in
                    writer.object { writer in
                        while index < facts.count, facts[index].variable == fact.variable,
                            let entry = facts[index].entry
                        {
                            writer.field(entry, written: facts[index].value ?? null)
                            index += 1
                        }
                    }
                }
            }
        }
        return partial
    }

    /// The facts of the two members, in order. Precondition: the slices were read from `document`.
    static func read(_ changed: JSONSlice, partial: JSONSlice?, in document: [UInt8]) throws(JSONError) -> [Fact] {
        let partialNames =
            try partial.map { partial throws(JSONError) in try [String](parsing: partial.taken(from: document)) } ?? []
        return try read(document.span.extracting(changed.bytes), partial: partialNames)
    }

    /// The facts of variables as a whole.
    static func read(_ wholes: [UInt8]) throws(JSONError) -> [Fact] {
        try read(wholes.span, partial: [])
    }

    private static func read(_ changed: Span<UInt8>, partial: [String]) throws(JSONError) -> [Fact] {
        var facts: [Fact] = []
        try JSONReader.read(changed, depth: depthLimit) { reader throws(JSONError) in
            try reader.members { variable, reader throws(JSONError) in
                guard partial.contains(where: { ByteString($0) == ByteString(variable) }) else {
                    facts.append(Fact(variable: variable, value: try JSONSlice(from: &reader).taken(from: changed)))
                    return
                }
                try reader.members { entry, reader throws(JSONError) in
                    facts.append(
                        Fact(
                            variable: variable, entry: entry,
                            value: try JSONSlice(from: &reader).takenUnlessNull(from: changed)))
                }
            }
        }
        return facts
    }

    /// The entries of a variable that was set as a whole.
    static func entries(of whole: [UInt8]) throws(JSONError) -> [(key: String, value: [UInt8])] {
        var entries: [(key: String, value: [UInt8])] = []
        try JSONReader.read(whole.span, depth: depthLimit) { reader throws(JSONError) in
            try reader.members { entry, reader throws(JSONError) in
                if let value = try JSONSlice(from: &reader).takenUnlessNull(from: whole.span) {
                    entries.append((entry, value))
                }
            }
        }
        return entries
    }

    static let null = Array("null".utf8)
    static let emptyObject = Array("{}".utf8)
}
