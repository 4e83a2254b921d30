import JSON

/// The fault of a record's shape, which its schema carries to the registration of a feature that has such records.
enum ShapeFault {
    /// The field of a shape with a fault. Its schema is the fault in words.
    static let keyword = "$fault"

    /// Returns the first fault within a schema, in words.
    static func first(in schema: JSON) -> String? {
        switch schema {
        case .object(let members):
            if case .string(let fault)? = members[keyword] { return fault }
            for member in members { if let fault = first(in: member.value) { return fault } }
            return nil
        case .array(let elements):
            for element in elements { if let fault = first(in: element) { return fault } }
            return nil
        default: return nil
        }
    }
}
