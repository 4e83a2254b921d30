/// What a tree adds up over its elements. A branch keeps the sum of each child, so a tree has the sum of all its elements
/// at hand, and a write adds up only what lies on its way.
///
/// The sum depends on the elements and their order, and not on the shape of the tree: of two runs of elements,
/// `sum(of: a + b)` equals `sum(of: a)` after `add(sum(of: b))`.
@usableFromInline
package protocol ListMeasure {
    associatedtype Element
    associatedtype Sum

    /// The sum of some elements.
    func sum(of elements: [Element]) -> Sum
    /// Adds the sum of the elements that follow.
    func add(_ next: Sum, to sum: inout Sum)
    /// Makes what a leaf keeps until its elements change. Threads that read the tree share it.
    func makeNote() -> AnyObject?
}

/// The measure of a tree that adds up nothing. It costs nothing.
@usableFromInline
package struct Unmeasured<Element>: ListMeasure {
    @inlinable
    package init() {}

    @inlinable
    package func sum(of elements: [Element]) {}

    @inlinable
    package func add(_ next: Void, to sum: inout Void) {}

    @inlinable
    package func makeNote() -> AnyObject? { nil }
}
