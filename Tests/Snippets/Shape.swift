import StateStore

struct Addition: Record {
    var productId = 0
    var quantity = 1

    // snippet
}
