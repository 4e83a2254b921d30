import JSON

struct Addition {
    var productId: Int
    var quantity: Int

    // snippet
}
