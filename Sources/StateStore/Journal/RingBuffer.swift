/// The last `limit` elements, oldest first: a new one replaces the oldest.
struct RingBuffer<Element> {
    /// The maximum number of elements.
    private let limit: Int
    /// The elements; a ring once their number has reached `limit`.
    private var elements: [Element] = []
    private var oldest = 0

    init(_ limit: Int) {
        self.limit = limit
    }

    var count: Int { elements.count }

    /// Returns the element after the first `place` elements.
    subscript(place: Int) -> Element { elements[(oldest + place) % count] }

    /// Appends an element. Returns the one that it replaces.
    mutating func append(_ element: Element) -> Element? {
        guard elements.count == limit else {
            elements.append(element)
            return nil
        }
        guard limit > 0 else { return element }
        let replaced = elements[oldest]
        elements[oldest] = element
        oldest = oldest + 1 == limit ? 0 : oldest + 1
        return replaced
    }

    /// Replaces each element for which `body` returns another.
    mutating func replace(_ body: (Element) -> Element?) {
        for place in elements.indices {
            if let other = body(elements[place]) { elements[place] = other }
        }
    }

    /// Returns up to `limit` elements after the first `start` elements.
    func some(after start: Int, limit: Int) -> [Element] {
        (min(start, count)..<count).prefix(limit).map { elements[(oldest + $0) % count] }
    }
}
