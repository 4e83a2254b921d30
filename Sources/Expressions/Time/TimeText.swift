/// The texts of times that formulas can read.
package enum TimeText {
    /// True for a date-time of RFC 3339 that `timestamp()` reads: `2026-05-04T10:00:00Z`, in the years 1 to 9999.
    package static func isDateTime(_ text: String) -> Bool { text.utf8.count <= 100 && CELTimestamp(text) != nil }

    /// True for a full date of RFC 3339: `2026-05-04`.
    package static func isDate(_ text: String) -> Bool {
        text.utf8.count == 10 && CELTimestamp(text + "T00:00:00Z") != nil
    }
}
