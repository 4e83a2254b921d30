package import StateStore

/// A share of the spaces. Each lane has one sequence of entries in the log and at most one owner.
package struct Lane: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of lanes that `headwater cluster init` makes unless told otherwise.
    package static let defaultCount = 24
    /// The greatest number of lanes of a cluster.
    package static let limit = 1_024
    /// The lane of the space `common`.
    package static let common = Lane(number: -1)

    /// The number: from 0 on, or -1 for the lane of `common`.
    package let number: Int

    private init(number: Int) {
        self.number = number
    }

    /// The lane of a number from 0 on.
    package init(_ number: Int) {
        precondition((0..<Self.limit).contains(number), "a lane is numbered from 0 to \(Self.limit - 1)")
        self.number = number
    }

    /// Parses the text of a lane; nil if it names none.
    package init?(_ text: String) {
        if text == "common" {
            self = .common
        } else if let number = Int(text), (0..<Self.limit).contains(number), String(number) == text {
            self.number = number
        } else {
            return nil
        }
    }

    /// Returns all lanes of a cluster: `count` numbered ones and that of `common`.
    package static func all(_ count: Int) -> [Lane] { [.common] + (0..<count).map { Lane($0) } }

    /// The index among all lanes: 0 for that of `common`.
    var index: Int { number + 1 }

    /// The number as text, or `common`. It is part of the names of streams and subjects.
    package var description: String { self == .common ? "common" : "\(number)" }

    /// Orders the lane of `common` first.
    package static func < (one: Lane, other: Lane) -> Bool { one.number < other.number }

    /// Lanes as text, with ranges: `common 0-3 7`.
    package static func text(_ lanes: [Lane]) -> String {
        var ranges: [(first: Int, last: Int)] = []
        for number in lanes.filter({ $0 != .common }).map(\.number).sorted() {
            if let last = ranges.last, last.last == number - 1 {
                ranges[ranges.count - 1].last = number
            } else {
                ranges.append((number, number))
            }
        }
        return
            ((lanes.contains(.common) ? ["common"] : [])
            + ranges.map { $0.first == $0.last ? "\($0.first)" : "\($0.first)-\($0.last)" })
            .joined(separator: " ")
    }
}

extension Lane {
    /// Returns the lane of a space in a cluster with `count` lanes. Other bits of the digest select the loop.
    package static func of(_ space: SpaceName, among count: Int) -> Lane {
        space == .common ? .common : Lane(Int((space.digest >> 17) % UInt64(count)))
    }
}
