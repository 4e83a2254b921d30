// See `Variable.restore`.

extension Table {
    /// Sets all rows at once. Precondition: nobody listens, and no transaction has written the table.
    @inlinable
    package func restore(_ rows: [Key: Row]) {
        precondition(!isActive && !isWritten, "a table is restored before it is used")
        self.rows = rows
        for follower in followers { follower.forget() }
    }

    /// Sets or removes one row at once. An existing row keeps its key, because equal keys may differ in spelling.
    /// Precondition: nobody listens, and no transaction has written the table.
    @inlinable
    package func restore(_ row: Row?, for key: Key) {
        precondition(!isActive && !isWritten, "a table is restored before it is used")
        for follower in followers { follower.forget() }
        guard let place = rows.index(forKey: key) else {
            if let row { rows[key] = row }
            return
        }
        if let row { rows.values[place] = row } else { rows.remove(at: place) }
    }
}
