import Reactive

/// The clients that are present in the tables of a space.
struct PresentClients {
    /// A row of a table.
    struct Row: Hashable {
        let table: String
        let key: String
    }

    /// The open streams of one row, or the alarm of its end.
    private final class Stay {
        var streams = 0
        var alarm: Alarm?
    }

    private var stays: [Row: Stay] = [:]

    /// Adds a stream to a row.
    mutating func join(_ row: Row) {
        let stay = stays[row] ?? Stay()
        stays[row] = stay
        stay.streams += 1
        stay.alarm?.cancel()
        stay.alarm = nil
    }

    /// Removes a stream from a row. If it was the last, `alarm` makes the alarm of the row's end.
    mutating func leave(_ row: Row, _ alarm: () -> Alarm) {
        guard let stay = stays[row], stay.streams > 0 else { return }
        stay.streams -= 1
        if stay.streams == 0 { stay.alarm = alarm() }
    }

    /// Gives a row without streams another alarm of its end.
    mutating func putOff(_ row: Row, _ alarm: () -> Alarm) {
        guard let stay = stays[row], stay.streams == 0 else { return }
        stay.alarm = alarm()
    }

    /// Forgets a row at its end. Returns false if a client has come back.
    mutating func end(_ row: Row) -> Bool {
        guard let stay = stays[row], stay.streams == 0 else { return false }
        stays[row] = nil
        return true
    }
}
