import JSON
import Testing

/// A value's tree is what its text would be read as.
@Suite struct TreeBuildingTests {
    private func check(_ value: some JSONWritable) throws {
        #expect(try value.tree() == JSON(parsing: value.json()))
        #expect(try value.tree().json() == value.json())
    }

    @Test func `the tree of a value is the tree of its text`() throws {
        try check(true)
        try check(-7)
        try check(Int64(1) << 59)
        try check(1.5)
        try check(Decimal(25))
        try check("ä\"\u{1}")
        try check(Int?.none)
        try check([1, nil, 3])
        try check(["b": [1.5], "a": []])
        try check([JSON.null, ["x": [true, "y"]]])
    }
}
