internal import StateStore

/// What a fact has beside the name of its variable.
private struct FactFlags: OptionSet {
    let rawValue: UInt8

    static let hasEntry = FactFlags(rawValue: 1)
    static let hasValue = FactFlags(rawValue: 2)
    /// The flags that this program reads. Another one would shift what follows it.
    static let known: FactFlags = [.hasEntry, .hasValue]
}

extension EntryWriter {
    mutating func fact(_ fact: Fact) {
        var flags: FactFlags = []
        if fact.entry != nil { flags.insert(.hasEntry) }
        if fact.value != nil { flags.insert(.hasValue) }
        byte(flags.rawValue)
        text(fact.variable)
        if let entry = fact.entry { text(entry) }
        if let value = fact.value { bytes(value) }
    }
}

extension EntryReader {
    mutating func fact() throws(EntryFault) -> Fact {
        let flags = FactFlags(rawValue: try byte())
        guard flags.isSubset(of: .known) else { throw .malformed }
        return Fact(
            variable: try text(), entry: flags.contains(.hasEntry) ? try text() : nil,
            value: flags.contains(.hasValue) ? try bytes() : nil)
    }
}
