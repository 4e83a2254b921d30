/// Writes what was counted as Prometheus reads it (its text format, version 0.0.4).
struct Exposition {
    private(set) var text = ""

    /// A number that has a name of its own.
    mutating func add(_ name: String, _ kind: MetricType, _ help: String, _ value: Double) {
        begin(name, kind, help)
        add(name, [], value)
    }

    enum MetricType: String {
        case counter, gauge, histogram
    }

    /// Begins the numbers of a name.
    mutating func begin(_ name: String, _ kind: MetricType, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// One number, with labels that tell it from the others of its name.
    mutating func add(_ name: String, _ labels: [(String, String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",") + "}"
        }
        text += " \(Self.number(value))\n"
    }

    mutating func add(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(name, .histogram, help)
        var sum = 0
        for (bound, count) in zip(histogram.bounds, histogram.counts) {
            sum += count
            add("\(name)_bucket", [("le", Self.number(bound))], Double(sum))
        }
        add("\(name)_bucket", [("le", "+Inf")], Double(histogram.count))
        add("\(name)_sum", [], histogram.sum)
        add("\(name)_count", [], Double(histogram.count))
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
        return text
    }
}
