import Testing

@testable import StateStore

/// The names of spaces in their order, beside a sorted array; and the beginnings of names.
@Suite struct SpaceNamesTests {
    private static let alphabet = Array("-.0129AMZ_abyz".utf8)

    private static func name(_ random: inout Randomness) -> SpaceName? {
        let count = Int.random(in: 1...4, using: &random)
        return SpaceName(
            String(decoding: (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 97 }, as: UTF8.self))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `names that come and go are listed as a sorted array has them`(seed: UInt64) {
        var random = Randomness(seed: seed)
        var names = SpaceNames()
        var model: Set<SpaceName> = []
        for step in 0..<6_000 {
            guard let name = Self.name(&random) else { continue }
            if step > 4_000, Int.random(in: 0..<4, using: &random) > 0 || model.contains(name) {
                names.remove(name)
                model.remove(name)
            } else if model.insert(name).inserted {
                names.insert(name)
            }
            guard step.isMultiple(of: 101) else { continue }
            names.checkInvariants()
            let sorted = model.sorted()
            for limit in [0, 1, 7, 10_000] {
                #expect(names.some(after: nil, limit: limit) == Array(sorted.prefix(limit)))
                #expect(names.some(after: name, limit: limit) == Array(sorted.filter { $0 > name }.prefix(limit)))
            }
        }
        for name in model { names.remove(name) }
        #expect(names.some(after: nil, limit: 1).isEmpty)
    }

    @Test func `the names after the bound of a beginning begin with it or come later`() {
        var random = Randomness(seed: 7)
        var names: Set<SpaceName> = []
        for _ in 0..<3_000 { if let name = Self.name(&random) { names.insert(name) } }
        let sorted = names.sorted()
        for name in sorted.prefix(60) {
            for count in 1...name.description.count {
                guard let prefix = SpacePrefix(String(name.description.prefix(count))) else { continue }
                let before = prefix.before
                let after = sorted.filter { one in before.map { $0 < one } ?? true }.prefix { prefix.begins($0) }
                #expect(Array(after) == sorted.filter { $0.description.hasPrefix(prefix.text) }, "\(prefix.text)")
            }
        }
        let longest = String(repeating: "a", count: SpaceName.lengthLimit)
        #expect(SpacePrefix(longest)?.before == SpaceName(longest.dropLast() + "_"))
        #expect(SpacePrefix("") == nil && SpacePrefix("-") == nil && SpacePrefix(longest + "a") == nil)
    }
}
