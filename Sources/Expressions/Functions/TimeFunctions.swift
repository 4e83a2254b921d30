internal import Ground

/// The methods of timestamps and durations.
enum TimeFunctions {
    static let table = Functions.tables(
        field("getFullYear") { $0.date.year },
        field("getMonth") { $0.date.month - 1 },
        field("getDate") { $0.date.day },
        field("getDayOfMonth") { $0.date.day - 1 },
        field("getDayOfWeek") { CivilDate.dayOfWeek($0.days) },
        field("getDayOfYear") { $0.date.dayOfYear },
        field("getHours", duration: { $0.seconds / 3600 }) { $0.second / 3600 },
        field("getMinutes", duration: { $0.seconds / 60 }) { $0.second / 60 % 60 },
        field("getSeconds", duration: { $0.seconds }) { $0.second % 60 },
        // For a duration too, the milliseconds are those of its last second.
        field("getMilliseconds", duration: { $0.nanoseconds % CELDuration.perSecond / 1_000_000 }) { $0.milliseconds })

    /// The local date and time of a timestamp in a zone.
    private struct LocalTime {
        let days: Int64
        /// The second of the day.
        let second: Int64
        let milliseconds: Int64

        var date: CivilDate { CivilDate(days: days) }

        init(_ moment: CELTimestamp, _ zone: TimeZone) {
            let seconds = moment.seconds + zone.offset(at: moment.seconds)
            days = seconds.floorDivided(by: 86_400)
            second = seconds.floorRemainder(by: 86_400)
            milliseconds = Int64(moment.nanoseconds / 1_000_000)
        }
    }

    private static func field(
        _ name: String, duration: (@Sendable (CELDuration) -> Int64)? = nil,
        _ body: @escaping @Sendable (LocalTime) -> Int64
    ) -> FunctionTable {
        Functions.tables(
            Functions.method(name) { (value, _) throws(EvaluationFailure) in
                switch value {
                case .timestamp(let moment): return .int(body(LocalTime(moment, .fixed(0))))
                case .duration(let period):
                    guard let duration else { throw .mismatch(name, value) }
                    return .int(duration(period))
                default: throw .mismatch(name, value)
                }
            },
            Functions.method2(name) { (value, zone, context) throws(EvaluationFailure) in
                guard case .timestamp(let moment) = value, case .string(let zoneName) = zone else {
                    throw .mismatch(name, value, zone)
                }
                return .int(body(LocalTime(moment, try TimeZone(zoneName, &context))))
            })
    }
}
