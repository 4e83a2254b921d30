import Reactive

struct Order: Equatable { var product = 0 }
struct Product: Equatable { var price = 0 }
struct OrderLine: Equatable {
    var order: Int
    var price: Int?
}

static func join(_ orders: Table<Int, Order>, _ products: Table<Int, Product>) -> Rows<Int, OrderLine> {
    // snippet
}
