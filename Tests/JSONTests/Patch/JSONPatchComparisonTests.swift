import JSON
import Testing

@Suite struct JSONPatchComparisonTests {
    @Test(arguments: 0..<300)
    func `the patch between two random values turns one into the other`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let old = JSON.random(depth: 4, using: &random)
        let new = JSON.random(depth: 4, using: &random)
        try check(old, new)
        try check(["a": old, "b": [old, new]], ["a": new, "b": [new, old]])
    }

    @Test(arguments: 0..<300)
    func `concatenated patches of random edits turn the first value into the last`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed) + 10_000)
        let first = JSON.random(depth: 5, using: &random)
        var value = first
        var all = JSONPatch()
        var builder = JSONPatch.Builder()
        for _ in 0..<8 {
            let next = value.edited(using: &random)
            let patch = try check(value, next)
            all.operations += patch.operations
            builder.append(patch)
            value = next
        }
        #expect(try all.applied(to: first) == value)
        #expect(try all.json() == builder.bytes)
        #expect(try JSONPatch(parsing: builder.bytes).applied(to: first) == value)
    }

    @Test(arguments: 0..<400)
    func `lists with repeated, moved and identified elements are patched`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed) + 20_000)
        func list() -> JSON {
            .array(
                (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                    let number = JSON.number(Decimal(Int.random(in: 0..<8, using: &random)))
                    return switch seed % 3 {
                    case 0: number
                    case 1:
                        [
                            "id": number, "text": "a text that makes the element longer than a move",
                            "n": .bool(.random(using: &random)),
                        ]
                    default:
                        Bool.random(using: &random)
                            ? number : ["key": number, "text": "a text that makes the element long"]
                    }
                })
        }
        try check(list(), list())
    }

    enum Edit: CaseIterable { case insert, remove, moveForth, moveBack, moveFar, change, changeAndMove }

    @Test(arguments: Edit.allCases, [true, false])
    func `one edit in a list of 10,000 elements is at most two operations`(_ edit: Edit, _ isIdentified: Bool) throws {
        let rows: [JSON] = (0..<10_000).map { number in
            let number = JSON.number(Decimal(number))
            return [isIdentified ? "id" : "number": number, "name": "a name"]
        }
        var changed = rows
        switch edit {
        case .insert: changed.insert(["id": 10_000], at: 5_000)
        case .remove: changed.remove(at: 5_000)
        case .moveForth: changed.insert(changed.remove(at: 10), at: 9_000)
        case .moveBack: changed.insert(changed.remove(at: 9_000), at: 10)
        case .moveFar: changed.append(changed.removeFirst())
        case .change: changed[5_000] = [isIdentified ? "id" : "number": 5_000, "name": "another"]
        case .changeAndMove:
            changed.remove(at: 10)
            changed.insert([isIdentified ? "id" : "number": 10, "name": "another"], at: 9_000)
        }
        let patch = try check(["rows": .array(rows), "x": 1], ["rows": .array(changed), "x": 1])
        #expect(patch.operations.count == (edit == .changeAndMove ? 2 : 1))
        #expect(try patch.json().count < 150)
    }

    @Test func `two edits far apart cost two operations`() throws {
        let rows = (0..<10_000).map { JSON.string("row \($0)") }
        var changed = rows
        changed.remove(at: 9_990)
        changed.insert("new", at: 5)
        #expect(try check(.array(rows), .array(changed)).operations.count == 2)
    }

    @Test func `a patch is not much larger than the value that it makes`() throws {
        var random = SplitMix64(seed: 4)
        for _ in 0..<200 {
            let (old, new) = (JSON.random(depth: 4, using: &random), JSON.random(depth: 4, using: &random))
            let overhead = #"[{"op":"replace","path":"","value":}]"#.utf8.count
            // Escapes and numbers count approximately.
            #expect(try JSONPatch(from: old, to: new).json().count <= 2 * new.json().count + 2 * overhead)
        }
        let reversed = (0..<1_000).reversed().map { JSON.number(Decimal($0)) }
        #expect(try check(.array(reversed.reversed()), .array(reversed)).operations.count == 1)
    }

    @Test func `equal values need no operation`() throws {
        #expect(try check(["a": [1.0, ["b": nil]], "c": 2], ["c": 2, "a": [1, ["b": nil]]]).isEmpty)
    }

    @Test func `equal elements of a long list correspond in their order`() throws {
        let old = [JSON](repeating: 1, count: 100_000)
        var new = [JSON](repeating: 1, count: 99_000)
        new.insert(2, at: 0)
        new.append(3)
        #expect(try check(.array(old), .array(new)).operations.count <= 1_002)
    }

    @discardableResult
    private func check(_ old: JSON, _ new: JSON) throws -> JSONPatch {
        let patch = JSONPatch(from: old, to: new)
        #expect(try patch.applied(to: old) == new, "\(patch)")
        return patch
    }
}

extension JSON {
    /// A copy with one random edit somewhere.
    fileprivate func edited(using random: inout SplitMix64) -> JSON {
        switch self {
        case .array(var elements) where !elements.isEmpty && Int.random(in: 0..<8, using: &random) > 0:
            let index = elements.indices.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<5, using: &random) {
            case 0: elements.remove(at: index)
            case 1: elements.insert(JSON.random(depth: 2, using: &random), at: index)
            case 2: elements.insert(elements.remove(at: index), at: elements.indices.randomElement(using: &random) ?? 0)
            default: elements[index] = elements[index].edited(using: &random)
            }
            return .array(elements)
        case .object(var object) where !object.isEmpty && Int.random(in: 0..<8, using: &random) > 0:
            let name = object.randomElement(using: &random)?.key ?? ""
            switch Int.random(in: 0..<5, using: &random) {
            case 0: object[name] = nil
            case 1: object["new \(UInt8.random(in: 0...255, using: &random))/~"] = JSON.random(depth: 2, using: &random)
            default: object[name] = object[name]?.edited(using: &random)
            }
            return .object(object)
        default: return JSON.random(depth: 2, using: &random)
        }
    }
}
