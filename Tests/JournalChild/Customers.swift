import Glibc
import ServerReads
import StateStore
import Systems

/// Four customers who build, check out and order guitars without end, each in a separate space. The workshop prints
/// each request: `asked NUMBER` for an order that comes to it, `ordered SPACE NUMBER` for a receipt that is shown.
enum Customers {
    static let count = 4

    static func begin(in journal: any Journal) throws {
        let executors = [WorkingExecutor(), WorkingExecutor()]
        var configuration = SystemsConfiguration()
        configuration.workshop = "http://workshop.test"
        let stores = try Stores(
            try Registry(systems(configuration)), executors: executors, writer: ThreadedJournalWriter(journal),
            fetcher: SpokenWorkshop(),
            seed: UInt64(getpid()),
            clock: { Timestamp(microseconds: 1_700_000_000_000_000) })
        for customer in 0..<count {
            guard let space = SpaceName("customer-\(customer)") else { continue }
            let home = executors[stores.index(of: space)]
            home.post { Customer(space, stores[stores.index(of: space)]).begin() }
        }
    }

    /// One customer. It reads the state and performs the next step.
    private final class Customer {
        private let space: SpaceName
        private let store: Store
        private var watch: Watch?
        private var last = ""
        /// The idempotency keys in the state, so that each effect happens once.
        private var done = ""

        init(_ space: SpaceName, _ store: Store) {
            self.space = space
            self.store = store
        }

        func begin() {
            var shown: [ViewKey: String] = [:]
            watch = store.watch(
                ["luthier.checkout", "luthier.isLoadingCheckout", "luthier.isOrdering", "luthier.order"], in: space
            ) {
                [self] news in
                guard case .success(let news) = news else { return }
                for (view, frame) in news {
                    shown[view] = (try? frame.value.get()).map { String(decoding: $0.bytes, as: UTF8.self) }
                }
                act(shown)
            }
        }

        private func act(_ shown: [ViewKey: String]) {
            guard shown["luthier.isLoadingCheckout"] == "false", shown["luthier.isOrdering"] == "false" else {
                return done = ""
            }
            let isOpen = shown["luthier.checkout"] != "null"
            let order = shown["luthier.order"] ?? "null"
            if order != "null", order != last {
                last = order
                say("ordered \(space) \(order.split(separator: "\"").dropFirst(3).first ?? "")")
            }
            let next = !isOpen ? "checkout" : order == "null" ? "order" : "dismiss"
            guard next != done else { return }
            done = next
            // Two concurrent calls.
            for _ in 0..<2 { store.perform(Call(feature: "luthier", action: next), in: space) { _ in } }
        }
    }
}

/// A workshop that accepts every order and prints it.
private final class SpokenWorkshop: Fetcher {
    func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        let body =
            #"{"isAvailable": true, "buildEstimate": "1 week", "shippingOptions": [{"name": "Ship", "time": "1 day", "price": 5}]}"#
        if request.method == "POST" {
            say("asked \(request.fields.first { $0.name == "Idempotency-Key" }?.value ?? "")")
        }
        done(.success(OutgoingResponse(status: 200, body: Array(body.utf8))))
        return Cancellation()
    }
}
