public import JSON
public import Reactive

// Where these initializers are in sight, which is where a file imports StateStore, what is kept of a variable or a
// table is written by code that was compiled for the types of its values. Else it is written by code for any type,
// which says the same and takes several times as long.

extension Variable where Value: JSONConvertible & SchemaProviding {
    /// A variable that begins with `value` and is kept.
    @inlinable
    public convenience init(_ value: Value) {
        self.init(value) { variable in
            do throws(JSONError) {
                return try unsafeDowncast(variable, to: Variable<Value>.self).draft?.json()
            } catch {
                // Why it cannot be is found out by whoever asks again.
                return nil
            }
        }
    }
}

extension Table where Key: LosslessStringConvertible, Row: JSONConvertible & SchemaProviding {
    /// A table that begins with some rows and is kept.
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

    /// Does something with each row that the open transaction changes, which has not cleared the table: with its key as
    /// it is kept, and what it becomes.
    @inlinable
    func eachChange(_ body: (String, Row?) throws(JSONError) -> Void) throws(JSONError) {
        for key in order {
            let row = current(key)
            if row != rows[key] { try body(spelling(of: key), row) }
        }
    }

    /// A key as the table has it, if it does. Keys can be equal and not written alike, as texts can with a letter and
    /// its accent apart or together; a journal, which compares bytes, is told of one key in one spelling for as long as
    /// there is a row for it, and so tells that again.
    @inlinable
    func spelling(of key: Key) -> String {
        (rows.index(forKey: key).map { rows[$0].key } ?? key).description
    }
}
