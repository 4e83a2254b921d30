public import JSON
public import Reactive

// A file that imports StateStore uses these initializers. Code specialized for the value types then encodes the facts
// of a variable or a table. Without them, unspecialized code encodes the same bytes and takes several times as long.

extension Variable where Value: JSONConvertible & SchemaProviding {
    /// Creates a persistent variable with the initial value `value`.
    @inlinable
    public convenience init(_ value: Value) {
        self.init(value) { variable in
            do throws(JSONError) {
                return try unsafeDowncast(variable, to: Variable<Value>.self).draft?.json()
            } catch {
                // The caller encodes the value again and throws the reason.
                return nil
            }
        }
    }
}

extension Table where Key: LosslessStringConvertible, Row: JSONConvertible & SchemaProviding {
    /// Creates a persistent table with initial rows.
    @inlinable
    public convenience init(_ rows: [Key: Row] = [:]) {
        self.init(rows) { table, tell in
            do throws(JSONError) {
                try unsafeDowncast(table, to: Table<Key, Row>.self).eachChange { key, row throws(JSONError) in
                    tell(key, try row?.json())
                }
                return true
            } catch {
                return false
            }
        }
    }

    /// Calls `body` with the stored key and the new value of each row that the open transaction changes, or writes if
    /// equal writes count. Precondition: the transaction has not cleared the table.
    @inlinable
    func eachChange(_ body: (String, Row?) throws(JSONError) -> Void) throws(JSONError) {
        for key in order {
            let row = current(key)
            if row != rows[key] || countsEqualWrites && row != nil { try body(spelling(of: key), row) }
        }
    }

    /// Returns the spelling of `key` in the table, or its own if the table has no such row. Equal keys can differ in
    /// bytes, because an accented letter is one Unicode scalar or two. A journal compares bytes, so a row keeps one
    /// spelling as long as it exists.
    @inlinable
    func spelling(of key: Key) -> String {
        (rows.index(forKey: key).map { rows[$0].key } ?? key).description
    }
}
