/// A time as RFC 3339 writes it, in UTC.
public enum RFC3339 {
    /// The text of a time in microseconds since 1970, with six decimals: `2026-11-21T22:00:00.000000Z`.
    public static func text(microseconds: Int64) -> String {
        let second = microseconds.floorDivided(by: 1_000_000)
        let day = second.floorDivided(by: 86_400)
        let ofDay = second - day * 86_400
        let date = CivilDate(days: day)
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
            + "\(padded(ofDay / 3_600, 2)):\(padded(ofDay / 60 % 60, 2)):\(padded(ofDay % 60, 2))"
            + ".\(padded(microseconds - second * 1_000_000, 6))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
