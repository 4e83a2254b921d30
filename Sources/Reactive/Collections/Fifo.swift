/// A first-in, first-out queue. `append` and `popFirst` are amortized O(1).
@usableFromInline
package struct Fifo<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var next = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { next == elements.count }
    @inlinable package var count: Int { elements.count - next }
    /// The element at a place, counted from the first.
    @inlinable package subscript(place: Int) -> Element? { elements[next + place] }
    @inlinable package var first: Element? { isEmpty ? nil : elements[next] }

    @inlinable
    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[next]
        elements[next] = nil
        next += 1
        if isEmpty {
            removeAll()
        } else if next >= 32, next * 2 >= elements.count {
            elements.removeFirst(next)
            next = 0
        }
        return element
    }

    /// Removes and returns the first element if it satisfies the condition.
    @inlinable
    package mutating func popFirst(where isWanted: (Element) -> Bool) -> Element? {
        guard !isEmpty, let first = elements[next], isWanted(first) else { return nil }
        return popFirst()
    }

    @inlinable
    package mutating func removeAll() {
        elements.removeAll(keepingCapacity: true)
        next = 0
    }
}
