/// A stored property of a struct, with the place that the compiler gives it.
///
/// Swift lays a struct out in the order of its declaration, each property at the next multiple of its alignment. So the
/// offsets follow from the sizes of the properties. They are verified: the sizes must add up to that of the struct.
package struct StoredProperty {
    /// The name.
    package let name: String
    /// The value in the exemplar.
    package let value: Any
    /// The distance from the beginning of the struct in bytes.
    package let offset: Int

    /// Returns the stored properties of a struct, in the order of their declaration; nil if the offsets cannot be
    /// verified: for a class, for a struct that stores an existential, and for a type with a mirror of its own, unless the
    /// caller verifies what is at the offsets.
    package static func all<Value>(of exemplar: Value, isVerified: Bool = false) -> [StoredProperty]? {
        let mirror = Mirror(reflecting: exemplar)
        if exemplar is any CustomReflectable {
            guard isVerified else { return nil }
        } else if mirror.displayStyle != .struct {
            return nil
        }
        var properties: [StoredProperty] = []
        var end = 0
        for (name, value) in mirror.children {
            let (size, alignment) = layout(of: value)
            let offset = (end + alignment - 1) / alignment * alignment
            end = offset + size
            properties.append(StoredProperty(name: name ?? "", value: value, offset: offset))
        }
        return end == MemoryLayout<Value>.size ? properties : nil
    }

    /// The size and the alignment of the type of a value.
    private static func layout(of value: Any) -> (size: Int, alignment: Int) {
        func layout<Value>(_: Value.Type) -> (size: Int, alignment: Int) {
            (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
        }
        let type: any Any.Type = type(of: value)
        return _openExistential(type, do: layout)
    }
}
