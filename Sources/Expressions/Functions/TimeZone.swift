/// A time zone: the offset of local time from UTC.
enum TimeZone: Sendable {
    /// A fixed offset in seconds east of UTC.
    case fixed(Int64)
    case table(ZoneTable)

    /// Creates the zone for a name: `UTC`, `+02:00`, `-05:30`, `02:00`, or a name of the time zone database.
    init(_ name: String, _ context: inout EvaluationContext) throws(EvaluationFailure) {
        try context.scan(name.utf8.count)
        if name.isEmpty || name == "UTC" || name == "Z" {
            self = .fixed(0)
        } else if let offset = Self.offset(name) {
            self = .fixed(offset)
        } else {
            self = .table(try Self.known(name, &context))
        }
    }

    /// Creates the zone for a name outside of an evaluation; nil if there is none.
    init?(named name: String) {
        if name == "UTC" || name == "Z" {
            self = .fixed(0)
        } else if let offset = Self.offset(name) {
            self = .fixed(offset)
        } else if let table = ZoneDatabase.known(name) ?? ZoneDatabase.read(name) {
            self = .table(table)
        } else {
            return nil
        }
    }

    /// Returns the seconds east of UTC at a time.
    func offset(at seconds: Int64) -> Int64 {
        switch self {
        case .fixed(let offset): offset
        case .table(let table): table.offset(at: seconds)
        }
    }

    /// Returns the first time after another at which the offset changes; nil if it never does.
    func change(after seconds: Int64) -> Int64? {
        switch self {
        case .fixed: nil
        case .table(let table): table.change(after: seconds)
        }
    }

    private static func offset(_ name: String) -> Int64? {
        var digits = Array(name.utf8)[...]
        let sign: Int64 = digits.first == UInt8(ascii: "-") ? -1 : 1
        if digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        let parts = digits.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ 1...2 ~= $0.count && $0.allSatisfy { $0 &- 48 < 10 } }),
            let hours = Int64(String(decoding: parts[0], as: UTF8.self)),
            let minutes = Int64(String(decoding: parts[1], as: UTF8.self)),
            hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private static func known(_ name: String, _ context: inout EvaluationContext) throws(EvaluationFailure) -> ZoneTable
    {
        try context.work(8)
        if let table = ZoneDatabase.known(name) { return table }
        // A file system access takes as long as hundreds of other steps.
        try context.work(500)
        guard let table = ZoneDatabase.read(name) else {
            throw EvaluationFailure(
                "unknown time zone; use a name of the time zone database, such as 'Europe/Paris', or an offset such as '+02:00'"
            )
        }
        return table
    }
}
