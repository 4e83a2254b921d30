/// The places of the rows in memory only of a space, in their order, as they were at one moment.
///
/// A transfer of many rows reads them page by page. A list that was made at its begin or later serves all its pages: rows
/// that came before the list was made are in it, and the others are among the changes since the first page.
package struct RowListing {
    private let tables: [(variable: String, keys: [String])]

    /// Lists the keys of some tables, by the names of the tables in facts.
    init(_ tables: [(variable: String, keys: [String])]) {
        self.tables = tables.map { ($0.variable, $0.keys.sorted()) }.sorted { $0.variable < $1.variable }
    }

    /// The number of places.
    package var count: Int { tables.reduce(0) { $0 + $1.keys.count } }

    /// Returns the places after one, or all of them.
    func places(after place: RowsRequest.Place?) -> [(variable: String, keys: ArraySlice<String>)] {
        guard let place else { return tables.map { ($0.variable, $0.keys[...]) } }
        return tables.filter { $0.variable >= place.variable }.map { variable, keys in
            guard variable == place.variable else { return (variable, keys[...]) }
            // The first key that is greater.
            var (low, high) = (0, keys.count)
            while low < high {
                let middle = (low + high) / 2
                if keys[middle] <= place.entry { low = middle + 1 } else { high = middle }
            }
            return (variable, keys[low...])
        }
    }
}
