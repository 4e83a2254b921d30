import JSON
import Testing

@Suite struct DepthTests {
    static func nested(_ depth: Int) -> [UInt8] {
        Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }

    @Test func `nesting is accepted up to the limit and refused beyond`() throws {
        _ = try JSON(parsing: Self.nested(JSONReader.depthLimit))
        let error = #expect(throws: JSONError.self) { try JSON(parsing: Self.nested(JSONReader.depthLimit + 1)) }
        #expect(error?.reason == .tooDeep(limit: 64))
        #expect(error?.offset == 64)
    }

    @Test func `a caller sets the limit, up to 512 levels`() throws {
        _ = try JSON(parsing: Self.nested(512), depth: 1_000_000)
        #expect(throws: JSONError.self) { try JSON(parsing: Self.nested(513), depth: 1_000_000) }
        #expect(throws: JSONError.self) { try JSON(parsing: Self.nested(2), depth: 1) }
        #expect(throws: JSONError.self) { try JSON(parsing: Self.nested(1), depth: 0) }
    }

    @Test func `a million brackets are refused at once`() {
        let names = Array(String(repeating: #"{"a":"#, count: 1_000_000).utf8)
        #expect(throws: JSONError.self) { try JSON(parsing: [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) }
        #expect(throws: JSONError.self) { try SkippedValue(parsing: names) }
    }

    @Test func `the depth of siblings does not add up`() throws {
        let row = "[" + Array(repeating: "[{}]", count: 100).joined(separator: ",") + "]"
        _ = try JSON(parsing: Array(row.utf8), depth: 3)
    }

    @Test func `writing a tree that is too deep fails without a crash`() throws {
        var tree: JSON = []
        for _ in 0..<1000 { tree = [tree] }
        #expect(throws: JSONError.self) { try tree.json() }
        #expect(tree.isDeeper(than: 64))
        #expect(!tree.isDeeper(than: 1001))
        #expect(!JSON.null.isDeeper(than: 0))
        #expect((["a": [1]] as JSON).isDeeper(than: 1))
    }
}
