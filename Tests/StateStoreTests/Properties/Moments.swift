import StateStore
import Testing

/// The values of sum, rate and worth at every stored version of a space and of `common`.
struct Moments {
    private let sums: [Int]
    private let rates: [Int]

    init(of commits: [CommitRecord], _ common: [CommitRecord]) throws {
        sums = Moments.values(of: "ledger.sum", in: commits, from: 0)
        rates = Moments.values(of: "rates.rate", in: common, from: 1)
    }

    private static func values(of variable: String, in commits: [CommitRecord], from first: Int) -> [Int] {
        commits.reduce(into: [first]) { values, commit in
            let fact = commit.facts.last { $0.variable == variable }
            values.append(fact?.value.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? values[values.count - 1])
        }
    }

    /// Expects that each delivery of a watch shows one stored moment, not earlier than the previous one.
    func expect(_ news: [ViewFrames]) throws {
        var shown: [ViewKey: [Int]] = [:]
        var last = (version: 0, common: 0)
        for one in news {
            for (view, frame) in one {
                shown[view] = frame.told.split { !"-0123456789".contains($0) }.compactMap { Int($0) }
            }
            let sum = try #require(shown["ledger.sum"]?.first)
            let rate = try #require(shown["rates.rate"]?.first)
            #expect(shown["ledger.worth"] == [sum, rate, sum * rate])
            let versions = (last.version..<sums.count).filter { sums[$0] == sum }
            let commons = (last.common..<rates.count).filter { rates[$0] == rate }
            last = (
                try #require(versions.first, "a sum of \(sum) was never kept after version \(last.version)"),
                try #require(commons.first)
            )
            #expect(one.allSatisfy { $0.frame.since.version < sums.count && $0.frame.since.common < rates.count })
        }
    }

    /// Returns true if the last delivery of a watch shows the current values.
    func isLast(_ news: [ViewFrames]) -> Bool {
        var shown: [ViewKey: String] = [:]
        for (view, frame) in news.joined() { shown[view] = frame.told }
        return shown["ledger.sum"] == "\(sums[sums.count - 1])" && shown["rates.rate"] == "\(rates[rates.count - 1])"
    }
}
