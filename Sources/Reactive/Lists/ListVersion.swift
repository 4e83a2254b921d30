/// The identity of one version of one list. Two lists with the same version are the same list.
public struct ListVersion: Equatable {
    /// One activation of the observable that maintains a list. Versions keep it alive, so that no other activation is taken for it.
    @usableFromInline
    final class Run {
        @inlinable init() {}
    }

    @usableFromInline let run: Run
    @usableFromInline var number = 0

    @inlinable
    init() {
        run = Run()
    }

    /// The version after this one.
    @inlinable
    var next: ListVersion {
        var next = self
        next.number += 1
        return next
    }

    /// Compares the run and the number.
    @inlinable
    public static func == (one: ListVersion, other: ListVersion) -> Bool {
        one.run === other.run && one.number == other.number
    }
}
