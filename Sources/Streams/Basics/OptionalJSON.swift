import JSON

extension JSON {
    /// A value that may be missing, as a state holds it: an array of at most one.
    static func optional(_ value: JSON?) -> JSON { .array(value.map { [$0] } ?? []) }

    /// The value in such an array; nil if it is empty.
    var element: JSON? { if case .array(let values) = self { values.first } else { nil } }

    /// The whole number; 0 for another value.
    var whole: Int { if case .number(let number) = self { Int(number.int64 ?? 0) } else { 0 } }
}
