/// The identity of one version of one list. Two lists with the same version are the same list.
@usableFromInline
package struct ListVersion: Equatable {
    /// One activation of the observable that maintains a list. Versions keep it alive, so that no other activation is taken for it.
    @usableFromInline
    final class Activation {
        @inlinable init() {}
    }

    @usableFromInline let activation: Activation
    @usableFromInline var number = 0

    @inlinable
    init() {
        activation = Activation()
    }

    /// The version after this one.
    @inlinable
    var next: ListVersion {
        var next = self
        next.number += 1
        return next
    }

    /// Compares the activation and the number.
    @inlinable
    package static func == (one: ListVersion, other: ListVersion) -> Bool {
        one.activation === other.activation && one.number == other.number
    }
}
