import Synchronization

/// How far clocks somewhere are from UTC.
enum TimeZone: Sendable {
    /// Always so many seconds east.
    case fixed(Int64)
    case table(ZoneTable)

    /// The zone of a name: `UTC`, `+02:00`, `-05:30`, `02:00`, or one of the time zone database.
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

    /// Seconds east of UTC at a time.
    func offset(at seconds: Int64) -> Int64 {
        switch self {
        case .fixed(let offset): offset
        case .table(let table): table.offset(at: seconds)
        }
    }

    private static func offset(_ name: String) -> Int64? {
        var digits = Array(name.utf8)[...]
        let sign: Int64 = digits.first == UInt8(ascii: "-") ? -1 : 1
        if digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        let parts = digits.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ 1...2 ~= $0.count && $0.allSatisfy { $0 &- 48 < 10 } }),
            let hours = Int64(String(decoding: parts[0], as: UTF8.self)), let minutes = Int64(String(decoding: parts[1], as: UTF8.self)),
            hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    // What is read stays: there are some six hundred names, and only those that exist are kept.
    private static let tables = Mutex<[String: ZoneTable]>([:])

    private static func known(_ name: String, _ context: inout EvaluationContext) throws(EvaluationFailure) -> ZoneTable {
        try context.work(8)
        if let table = tables.withLock({ $0[name] }) { return table }
        // To ask the file system takes as long as hundreds of other steps.
        try context.work(500)
        guard let table = ZoneFile.read(name) else {
            throw EvaluationFailure(
                "the time zone \(name.brief) is not known here; name one of the time zone database, such as 'Europe/Paris', or an offset such as '+02:00'"
            )
        }
        tables.withLock { $0[name] = table }
        return table
    }
}
