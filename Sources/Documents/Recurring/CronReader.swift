/// The reader of cron expressions: five fields for minute, hour, day of the month, month and weekday.
///
/// A field is a list of `*`, of numbers and of ranges, with a step after `*` or a range. Months and weekdays have names
/// of three letters. Sunday is 0 or 7.
enum CronReader {
    /// Bytes of an expression.
    static let bytes = 256
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    /// The fault of a cron expression.
    struct CronFault: Error {
        let description: String
    }

    /// A field and its range.
    private struct CronField {
        let name: String
        let range: ClosedRange<Int>
        var names: [String] = []
        /// The number of the first name.
        var firstName = 0
    }

    private static let fields = [
        CronField(name: "minute", range: 0...59), CronField(name: "hour", range: 0...23),
        CronField(name: "day of the month", range: 1...31),
        CronField(name: "month", range: 1...12, names: months, firstName: 1),
        CronField(name: "weekday", range: 0...7, names: weekdays),
    ]

    static func calendar(_ text: String) throws(CronFault) -> CronCalendar {
        guard text.utf8.count <= bytes else {
            throw CronFault(description: "a cron expression has at most \(bytes) bytes")
        }
        let parts = text.split { $0 == " " || $0 == "\t" }
        guard parts.count == fields.count else {
            throw CronFault(
                description:
                    "a cron expression has five fields, as in \"0 9 * * mon-fri\": minute, hour, day of the month, month, weekday"
            )
        }
        var sets: [UInt64] = []
        for (field, part) in zip(fields, parts) { sets.append(try set(part, field)) }
        // Both 0 and 7 are Sunday.
        let weekdays = (sets[4] | sets[4] >> 7) & 0x7F
        let calendar = CronCalendar(
            minutes: sets[0], hours: sets[1], days: sets[2], months: sets[3], weekdays: weekdays,
            hasAnyHour: parts[1].first == "*", needsBothDays: parts[2].first == "*" || parts[4].first == "*")
        guard calendar.isPossible else {
            throw CronFault(description: "no day is as the cron expression says")
        }
        return calendar
    }

    private static func set(_ text: Substring, _ field: CronField) throws(CronFault) -> UInt64 {
        var set: UInt64 = 0
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: "/", omittingEmptySubsequences: false)
            guard let first = parts.first, !first.isEmpty, parts.count <= 2 else { throw fault(item, field) }
            let range = try range(first, field)
            guard parts.count == 2 else {
                for value in range { set |= 1 << UInt64(value) }
                continue
            }
            guard let step = number(parts[1]), step > 0 else {
                throw CronFault(
                    description: "the \(field.name) of a cron expression: the step \"\(parts[1])\" is no number above 0"
                )
            }
            guard first == "*" || first.contains("-") else {
                throw CronFault(
                    description: "the \(field.name) of a cron expression: a step follows * or a range, not \"\(first)\""
                )
            }
            for value in stride(from: range.lowerBound, through: range.upperBound, by: step) {
                set |= 1 << UInt64(value)
            }
        }
        return set
    }

    private static func range(_ text: Substring, _ field: CronField) throws(CronFault) -> ClosedRange<Int> {
        // Sunday is 0 where it is not named.
        if text == "*" { return field.range.upperBound == 7 ? 0...6 : field.range }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count <= 2, let low = value(ends[0], field), let high = value(ends[ends.count - 1], field),
            low <= high
        else { throw fault(text, field) }
        return low...high
    }

    private static func value(_ text: Substring, _ field: CronField) -> Int? {
        if let place = field.names.firstIndex(of: text.lowercased()) { return place + field.firstName }
        return number(text).flatMap { field.range.contains($0) ? $0 : nil }
    }

    private static func number(_ text: Substring) -> Int? {
        guard 1...3 ~= text.utf8.count, text.utf8.allSatisfy({ $0 &- 48 < 10 }) else { return nil }
        return Int(text)
    }

    private static func fault(_ text: Substring, _ field: CronField) -> CronFault {
        let names = field.names.isEmpty ? "" : ", or \(field.names.joined(separator: ", "))"
        return CronFault(
            description:
                "the \(field.name) of a cron expression: \"\(text)\" is no *, number or range from \(field.range.lowerBound) to \(field.range.upperBound)\(names)"
        )
    }
}
