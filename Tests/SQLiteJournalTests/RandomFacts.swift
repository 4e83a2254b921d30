import StateStore

/// Random facts of a commit.
enum RandomFacts {
    static func make(using random: inout SplitMix64) -> [Fact] {
        var facts: [Fact] = []
        for variable in ["a.value", "a.other", "b.table", "b.rows"] where Int.random(in: 0..<3, using: &random) == 0 {
            if variable.hasPrefix("a") {
                facts.append(Fact(variable: variable, value: value(using: &random)))
            } else if Int.random(in: 0..<25, using: &random) == 0 {
                let keys = (0..<Int.random(in: 0...8, using: &random)).map { "\"k\($0)\":\($0)" }
                facts.append(Fact(variable: variable, value: Array("{\(keys.joined(separator: ","))}".utf8)))
            } else {
                for key in (0..<12).shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)) {
                    let isGone = Bool.random(using: &random)
                    facts.append(
                        Fact(variable: variable, entry: "k\(key)", value: isGone ? nil : value(using: &random)))
                }
            }
        }
        return facts.isEmpty ? [Fact(variable: "a.value", value: value(using: &random))] : facts
    }

    private static func value(using random: inout SplitMix64) -> [UInt8] {
        Array(
            ["1", "-2.50", #""text \n ü""#, "[1,[2,{}]]", #"{"a":null,"b":{"c":true}}"#, "false"].randomElement(
                using: &random)?.utf8
                ?? "0".utf8)
    }
}
