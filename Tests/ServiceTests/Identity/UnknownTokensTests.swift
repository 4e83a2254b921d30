import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// Tokens of a file, and the comparison of digests.
@Suite struct UnknownTokensTests {
    // Law ID1
    @Test func `none of two thousand other tokens is taken for the one of the file`() throws {
        let file = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b read"
        let service = try ServiceInProcess(tokenFile: file)
        for number in 0..<2_000 {
            let reply = try service.ask("GET /v1", ["Authorization": "Bearer secret\(number)"])
            #expect(reply.status == 401, "number \(number)")
        }
        #expect(try service.ask("GET /v1", ["Authorization": "Bearer secret"]).status == 200)
    }

    @Test func `bytes are equal in constant time exactly where they are equal`() {
        var entropy = Entropy(seed: 1)
        for _ in 0..<20_000 {
            let one = (0..<1 + entropy.below(6)).map { _ in entropy.byte() & 3 }
            var other = one
            for _ in 0..<entropy.below(4) { other[entropy.below(other.count)] = entropy.byte() & 3 }
            #expect(ConstantTime.areEqual(one, other) == (one == other))
        }
        #expect(!ConstantTime.areEqual([1], [1, 2]) && ConstantTime.areEqual([], []))
    }
}
