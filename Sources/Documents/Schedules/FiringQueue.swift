import StateModel

/// The firings of a feature by time: a binary heap, with O(log n) for each change.
struct FiringQueue {
    /// The time of a row of a schedule.
    struct QueuedFiring {
        let time: Timestamp
        /// The index of the schedule.
        let schedule: Int
        let key: String

        static func < (one: QueuedFiring, other: QueuedFiring) -> Bool {
            (one.time, one.schedule, one.key) < (other.time, other.schedule, other.key)
        }
    }

    private var heap: [QueuedFiring] = []

    var count: Int { heap.count }
    var first: QueuedFiring? { heap.first }

    /// Adds a firing.
    mutating func add(_ entry: QueuedFiring) {
        heap.append(entry)
        var place = heap.count - 1
        while place > 0, case let parent = (place - 1) / 2, heap[place] < heap[parent] {
            heap.swapAt(place, parent)
            place = parent
        }
    }

    /// Removes the earliest firing.
    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var place = 0
        while case let left = 2 * place + 1, left < heap.count {
            let right = left + 1
            let child = right < heap.count && heap[right] < heap[left] ? right : left
            guard heap[child] < heap[place] else { return }
            heap.swapAt(place, child)
            place = child
        }
    }

    /// Keeps the firings that satisfy a condition.
    mutating func keep(where isWanted: (QueuedFiring) -> Bool) {
        let wanted = heap.filter(isWanted)
        heap = wanted.sorted { $0 < $1 }
    }

    /// Removes all firings.
    mutating func removeAll() { heap = [] }
}
