internal import JSON
internal import StateStore

/// Facts as two members of an object: `changed`, an object of each variable's new value, or of its entries' where it changed by entry, `null` for
/// one that went; and `partial`, an array of the variables that changed by entry, left out where there is none.
enum FactsText {
    /// Values lie two deeper here than alone.
    static let depthLimit = JSONReader.depthLimit + 2
    private static let names = MemberNames(["changed", "partial"])

    /// Writes both. Facts of one variable stand together, one of it as a whole or some of entries, as whoever makes a commit sees to.
    static func write(_ facts: Facts, to writer: inout JSONWriter) {
        var partial: [String] = []
        writer.field(0, of: names) { partial = write(changed: facts, to: &$0) }
        if !partial.isEmpty { writer.field(1, of: names, partial) }
    }

    /// Writes `changed`; gives the variables for `partial`.
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
                        while index < facts.count, facts[index].variable == fact.variable, let entry = facts[index].entry {
                            writer.field(entry, written: facts[index].value ?? null)
                            index += 1
                        }
                    }
                }
            }
        }
        return partial
    }

    /// The facts that the two say, in their order, out of the document that they were found in.
    static func read(_ changed: Extent, partial: Extent?, in document: [UInt8]) throws(JSONError) -> [Fact] {
        let partialNames = try partial.map { partial throws(JSONError) in try [String](parsing: partial.taken(from: document)) } ?? []
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
                guard partial.contains(where: { Exact($0) == Exact(variable) }) else {
                    facts.append(Fact(variable: variable, value: try Extent(from: &reader).taken(from: changed)))
                    return
                }
                try reader.members { entry, reader throws(JSONError) in
                    facts.append(Fact(variable: variable, entry: entry, value: try Extent(from: &reader).takenUnlessNull(from: changed)))
                }
            }
        }
        return facts
    }

    /// The entries of a variable that was set as a whole, which is an object of them.
    static func entries(of whole: [UInt8]) throws(JSONError) -> [(key: String, value: [UInt8])] {
        var entries: [(key: String, value: [UInt8])] = []
        try JSONReader.read(whole.span, depth: depthLimit) { reader throws(JSONError) in
            try reader.members { entry, reader throws(JSONError) in
                if let value = try Extent(from: &reader).takenUnlessNull(from: whole.span) { entries.append((entry, value)) }
            }
        }
        return entries
    }

    static let null = Array("null".utf8)
    static let emptyObject = Array("{}".utf8)
}
