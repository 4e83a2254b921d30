import Expressions
import StateStore

/// A time as RFC 3339 writes it, to the microsecond.
enum TimeText {
    static func text(_ time: Timestamp) -> String {
        let second = time.microseconds.floorDivided(by: 1_000_000)
        let day = second.floorDivided(by: 86_400)
        let ofDay = second - day * 86_400
        let date = CivilDate(days: day)
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
            + "\(padded(ofDay / 3_600, 2)):\(padded(ofDay / 60 % 60, 2)):\(padded(ofDay % 60, 2))"
            + ".\(padded(time.microseconds - second * 1_000_000, 6))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
