/// Places for work that only a number of hooks may do at once. A hook that finds none waits for one.
final class HookPlaces {
    /// A place, free again when it is released.
    final class DeliveryPlace {
        private let places: HookPlaces

        fileprivate init(_ places: HookPlaces) {
            self.places = places
        }

        deinit {
            places.passOn()
        }
    }

    private let limit: Int
    private var taken = 0
    private var waiting: [(number: Int, receive: (DeliveryPlace) -> Void)] = []
    private var next = 0

    init(_ limit: Int) {
        self.limit = limit
    }

    /// True if hooks wait.
    var isCrowded: Bool { !waiting.isEmpty }

    /// Passes on a place as soon as there is one. Returns the closure that gives up waiting.
    func take(_ receive: @escaping (DeliveryPlace) -> Void) -> () -> Void {
        guard taken >= limit else {
            taken += 1
            receive(DeliveryPlace(self))
            return {}
        }
        next += 1
        let number = next
        waiting.append((number, receive))
        return { [weak self] in self?.waiting.removeAll { $0.number == number } }
    }

    private func passOn() {
        guard !waiting.isEmpty else {
            taken -= 1
            return
        }
        waiting.removeFirst().receive(DeliveryPlace(self))
    }
}
