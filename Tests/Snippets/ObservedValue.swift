import Reactive

struct Counter { let count = Variable(0) }

/// A view of SwiftUI.
struct Text { init(_ text: String) {} }

final class Cart {
    var price = 1
    var quantity = 2
}

@MainActor static func observed(_ counter: Counter, _ graph: Graph) {
    // snippet
}

@MainActor static func observing(_ cart: Cart) {
    // snippet
    _ = total
}
