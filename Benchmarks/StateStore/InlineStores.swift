import StateStore

extension Stores {
    /// Stores that execute every call at once on the calling thread.
    static func inline(
        _ registry: Registry, _ journal: any Journal = MemoryJournal(history: 1_000)
    ) -> Stores {
        sure {
            try Stores(
                registry, executors: [InlineExecutor()], writer: InlineJournalWriter(journal), seed: 1,
                clock: { Timestamp(microseconds: 0) })
        }
    }

    /// Creates the products with the identifiers 1 to `count`, and adds each to the cart of `space`.
    func fillCart(of space: SpaceName, count: Int) {
        for id in 0..<count {
            let product = Array(#"{"id":\#(id + 1),"name":"Thing","price":1.5}"#.utf8)
            self[0].perform(Call(feature: "catalog", action: "put", input: product), in: .common) { _ in }
            let add = Call(feature: "cart", action: "add", input: Array(#"{"productId":\#(id + 1)}"#.utf8))
            self[0].perform(add, in: space) { _ in }
        }
    }
}
