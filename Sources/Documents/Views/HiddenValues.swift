import JSON
import Reactive
import StateModel

extension Observable<JSON> {
    /// Returns the values with null in place of private parts; the values themselves without parts.
    func hiding(_ parts: PrivateParts?) -> Observable<JSON> {
        guard let parts, parts != .none else { return self }
        return map { parts.masking($0) }
    }
}

extension Rows<String, DescribedRow> {
    /// Returns the rows with null in place of private parts; the rows themselves without parts.
    func hiding(_ parts: PrivateParts?) -> Rows<String, DescribedRow> {
        guard let parts, parts != .none else { return self }
        return map { _, row in row.with(parts.masking(row.value)) }
    }
}
