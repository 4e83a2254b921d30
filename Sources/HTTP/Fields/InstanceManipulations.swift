/// The instance manipulations that a client accepts, in the field `A-IM` (RFC 3229, section 10.5.3).
package enum InstanceManipulations {
    /// Returns true if `value` names a manipulation with a weight above 0.
    package static func accept(_ name: String, in value: String) -> Bool {
        value.split(separator: ",").contains { element in
            let parts = element.split(separator: ";").map(\.trimmingSpaces)
            guard parts.first?.lowercased() == name else { return false }
            let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
            return weight.map { $0.dropFirst(2).contains { ("1"..."9").contains($0) } } ?? true
        }
    }
}
