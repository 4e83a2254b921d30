import JSON
import Testing

@testable import HeadwaterServer
@testable import StateStore

/// The memory of recent patches of one view.
@Suite struct ViewPatchesTests {
    private func frame(_ count: Int, _ last: Int) -> Frame {
        let long = String(repeating: "x", count: 4_000)
        let rows = (0..<count).map { "{\"id\":\($0),\"text\":\"\($0 == 3 ? long + "\(last)" : "a row like others")\"}" }
        return Frame(
            value: .success(ViewValue(Array("[\(rows.joined(separator: ","))]".utf8))), since: .beginning)
    }

    // Law W7
    @Test func `the memory of a view has a bound in bytes, and the oldest steps go first`() throws {
        var patches = ViewPatches(from: 0)
        var old = frame(100, 0)
        for step in 1...400 {
            let new = frame(100, step)
            patches.take(step, from: old, to: new)
            old = new
        }
        #expect(patches.byteCount <= ViewPatches.bytesLimit && patches.byteCount > ViewPatches.bytesLimit / 2)
        #expect(patches.patch(after: 0, limit: .max) == nil)
        let recent = try #require(patches.patch(after: 395, limit: 32_768))
        let result = try JSONPatch(parsing: recent.bytes).applied(to: JSON(parsing: bytes(frame(100, 395))))
        #expect(try result == JSON(parsing: bytes(old)))
        #expect(patches.patch(after: 380, limit: 32_768) == nil, "more bytes than the limit")
    }

    // Law W7
    @Test func `a step with a patch that is larger than the value ends the way of patches`() {
        var patches = ViewPatches(from: 7)
        #expect(patches.patch(after: 7, limit: 0 + 2)?.isEmpty == true && patches.patch(after: 6, limit: .max) == nil)
        patches.take(8, from: frame(9, 0), to: frame(9, 1))
        #expect(patches.patch(after: 7, limit: .max)?.isEmpty == false)
        patches.take(9, from: frame(9, 1), to: Frame(value: .success(ViewValue(Array("1".utf8))), since: .beginning))
        #expect(patches.patch(after: 7, limit: .max) == nil && patches.patch(after: 9, limit: .max)?.isEmpty == true)
    }

    private func bytes(_ frame: Frame) throws -> [UInt8] { try frame.value.get().bytes }
}
