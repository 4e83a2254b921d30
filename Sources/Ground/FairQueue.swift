/// A queue in which subjects take turns, and the spaces of each subject. Elements of one subject and space keep their
/// order. So an element waits for at most one of each other subject, however many these have.
package struct FairQueue<Element> {
    /// The elements of one subject, by space.
    private struct Line {
        /// The spaces with elements, the next one first.
        var round: [String] = []
        var elements: [String: [Element]] = [:]
        var count = 0

        mutating func append(_ element: Element, _ space: String) {
            if elements[space] == nil { round.append(space) }
            elements[space, default: []].append(element)
            count += 1
        }

        mutating func popFirst() -> Element? {
            guard !round.isEmpty else { return nil }
            let space = round.removeFirst()
            guard let element = elements[space]?.removeFirst() else { return nil }
            if elements[space]?.isEmpty ?? true { elements[space] = nil } else { round.append(space) }
            count -= 1
            return element
        }
    }

    /// The subjects with elements, the next one first.
    private var round: [String] = []
    private var lines: [String: Line] = [:]
    /// The number of elements.
    package private(set) var count = 0

    /// An empty queue.
    package init() {}

    /// Returns the number of elements of a subject.
    package func count(of subject: String) -> Int { lines[subject]?.count ?? 0 }

    /// Adds an element of a subject for a space.
    package mutating func append(_ element: Element, subject: String, space: String) {
        if lines[subject] == nil { round.append(subject) }
        lines[subject, default: Line()].append(element, space)
        count += 1
    }

    /// Removes and returns the next element; nil if there is none.
    package mutating func popFirst() -> Element? {
        guard !round.isEmpty else { return nil }
        let subject = round.removeFirst()
        guard let element = lines[subject]?.popFirst() else { return nil }
        if lines[subject]?.count == 0 { lines[subject] = nil } else { round.append(subject) }
        count -= 1
        return element
    }
}
