/// The lines that describe the size of a cluster.
public enum SizeReport {
    /// Returns the lines of a size for a load.
    public static func lines(_ load: ClusterLoad, _ size: ClusterSize) -> [String] {
        let rows: [(String, String)] = [
            ("load", "\(text(load.spaces)) spaces, \(text(load.commits)) commits/s, \(text(load.streams)) streams"),
            ("events", "\(text(size.events))/s"),
            (
                "nodes",
                size.bound == .impossible ? "none suffice" : "\(text(size.nodes)), decided by \(size.bound.rawValue)"
            ),
            ("a node's processors", "\(percent(size.nodeBusy)) busy, \(tenths(size.applying)) of them applying"),
            ("a node's copy", "\(bytes(size.copyBytes))"),
            ("to a node", "\(bytes(size.followedBytes))/s"),
            ("log", "\(bytes(size.appendedBytes))/s in \(text(size.entries)) entries/s"),
            ("a lane", "\(text(size.laneEntries)) entries/s of \(tenths(size.batch)) commits"),
            ("disks of a log server", "\(text(size.disks))"),
            ("processors of the log servers", "\(tenths(size.serverCores))"),
            ("from the log, directly", "\(bytes(size.directBytes))/s"),
            ("mirrors in each region", size.mirrors == 0 ? "none needed" : "\(text(size.mirrors)) servers"),
        ]
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.0 + String(repeating: " ", count: width + 2 - $0.0.count) + $0.1 }
    }

    /// A whole number with spaces between its thousands.
    static func text(_ number: Double) -> String {
        guard number.isFinite, number < 1e15 else { return "too many" }
        let digits = String(Int(number.rounded()))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    static func tenths(_ number: Double) -> String {
        guard number.isFinite, number < 1e12 else { return "too many" }
        let whole = Int((number * 10).rounded())
        return "\(text(Double(whole / 10))).\(whole % 10)"
    }

    static func percent(_ part: Double) -> String { "\(text(part * 100)) %" }

    static func bytes(_ number: Double) -> String {
        for (limit, unit) in [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB")] where number >= limit {
            return "\(tenths(number / limit)) \(unit)"
        }
        return "\(text(number)) B"
    }
}
