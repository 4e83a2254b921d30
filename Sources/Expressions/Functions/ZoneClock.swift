/// The local time of a zone of the system's time zone database, or of a fixed offset, for code beside expressions.
package struct ZoneClock: Sendable {
    private let zone: TimeZone

    /// The clock of a zone, such as `Europe/Paris`, `UTC` or `+02:00`; nil if there is none.
    package init?(_ name: String) {
        guard let zone = TimeZone(named: name) else { return nil }
        self.zone = zone
    }

    /// Returns the seconds east of UTC at a time in seconds since 1970.
    package func offset(at seconds: Int64) -> Int64 { zone.offset(at: seconds) }

    /// Returns the first time after another at which the offset changes; nil if it never does.
    package func change(after seconds: Int64) -> Int64? { zone.change(after: seconds) }
}
