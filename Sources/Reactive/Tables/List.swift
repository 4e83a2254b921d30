extension Rows {
    /// Delivers the row for one key.
    @inlinable
    public func row(_ key: Key) -> Observable<Row?> {
        lift(keeping: true) { isFirst, changes, output in
            let change = changes.entries.first { $0.key == key }
            if isFirst || change != nil { output.emit(change?.new) }
            isFirst = false
        }
    }
}
