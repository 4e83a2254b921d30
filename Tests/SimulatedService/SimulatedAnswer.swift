import HistoryChecking
import JSON

/// The head of an answer.
struct SimulatedAnswer {
    let status: Int
    private let fields: [String: String]

    init?(_ head: String) {
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, let status = Int(words[1]) else { return nil }
        self.status = status
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value)
        }
        self.fields = fields
    }

    subscript(name: String) -> String? { fields[name.lowercased()] }

    /// The tag without its quotation marks.
    var tag: String? { self["ETag"].map { $0.filter { $0 != "\"" } } }
}

extension HistoryRecord.Versions {
    /// The versions that a tag names.
    init(tag: String) {
        let numbers = tag.prefix { $0 != "-" }.split(separator: ".").map { Int($0) }
        self.init(numbers.first ?? nil, numbers.count > 1 ? numbers[1] : nil)
    }

    /// The versions that the value of a view says it is of; nil for a view that does not say.
    init?(_ value: JSON, of view: String) {
        switch (view, value) {
        case ("tally.total", let value): self.init(value.wholeNumber)
        case ("tally.double", let value):
            guard let number = value.wholeNumber, number % 2 == 0 else { return nil }
            self.init(number / 2)
        case ("tally.both", .array(let pair)) where pair.count == 2:
            self.init(pair[0].wholeNumber, pair[1].wholeNumber)
        case ("rate.count", let value): self.init(nil, value.wholeNumber)
        default: return nil
        }
    }

    /// The later of each version.
    func joined(with other: Self) -> Self {
        func later(_ one: Int?, _ two: Int?) -> Int? { one.map { max($0, two ?? $0) } ?? two }
        return Self(later(version, other.version), later(common, other.common))
    }
}

extension JSON {
    var wholeNumber: Int? {
        if case .number(let number) = self { number.int64.map { Int($0) } } else { nil }
    }
}
