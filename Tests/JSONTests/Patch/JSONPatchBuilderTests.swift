import JSON
import Testing

@Suite struct JSONPatchBuilderTests {
    @Test(arguments: 0..<100)
    func `random edits of a list give a patch without a tree`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let path = JSONPointer(["a/b", "~"])
        var list: [JSON] = [1, "two", [3]]
        let old: JSON = ["a/b": ["~": .array(list)]]
        var builder = JSONPatch.Builder()
        for _ in 0..<20 {
            let value = JSON.random(depth: 2, using: &random)
            let index = Int.random(in: 0...list.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 1 where index < list.count:
                list.remove(at: index)
                builder.remove(at: index, of: path)
            case 2 where index < list.count:
                list[index] = value
                builder.replace(try value.json(), at: index, of: path)
            case 3 where index < list.count:
                let target = list.indices.randomElement(using: &random) ?? 0
                list.insert(list.remove(at: index), at: target)
                builder.move(from: index, to: target, of: path)
            default:
                list.insert(value, at: index)
                builder.insert(try value.json(), at: index, of: path)
            }
        }
        #expect(builder.bytes.count == builder.count)
        #expect(try builder.json() == builder.bytes)
        #expect(try JSONPatch(parsing: builder.bytes).applied(to: old) == ["a/b": ["~": .array(list)]])
    }

    @Test func `operations are written as RFC 6902 has them`() {
        var builder = JSONPatch.Builder()
        #expect(builder.isEmpty && builder.count == 2 && builder.bytes == Array("[]".utf8))
        builder.insert(Array("{}".utf8), at: 0)
        builder.move(from: 2, to: 1)
        builder.remove(at: 3)
        builder.replace(Array("4".utf8), at: 4)
        builder.replace(JSONPointer(), with: Array("null".utf8))
        let text =
            #"[{"op":"add","path":"/0","value":{}},{"op":"move","from":"/2","path":"/1"},{"op":"remove","path":"/3"},"#
            + #"{"op":"replace","path":"/4","value":4},{"op":"replace","path":"","value":null}]"#
        #expect(String(decoding: builder.bytes, as: UTF8.self) == text)
    }

    @Test func `steps are appended one after another`() throws {
        var all = JSONPatch.Builder()
        all.append(JSONPatch.Builder())
        var step = JSONPatch.Builder()
        step.insert(Array("1".utf8), at: 0)
        all.append(step)
        all.append(JSONPatch())
        all.append(JSONPatch([.add(JSONPointer(["-"]), 2)]))
        all.append(JSONPatch.Builder())
        all.append(step)
        #expect(try JSONPatch(parsing: all.bytes).applied(to: []) == [1, 1, 2])
    }

    @Test func `a patch is an element or a member of another value`() {
        var builder = JSONPatch.Builder()
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("a", builder)
            builder.remove(at: 0)
            writer.field("b", builder)
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"a":[],"b":[{"op":"remove","path":"/0"}]}"#)
    }
}
