import JSON
import StateStore
import Systems
import Testing

/// Properties of all systems.
struct AllSystemsTests {
    private static let views = [
        "user.isLoggedIn", "user.name", "user.title", "catalog.products", "catalog.discountRate", "cart.orders",
        "cart.numberOfProducts",
        "cart.numberOfItems", "cart.totalPrice", "cart.discountedTotalPrice",
    ]

    /// Performs a random action.
    private func act(_ dice: inout Randomness, in shop: Shop) {
        let product = Int.random(in: 1...6, using: &dice)
        let actions = [
            ("cart/add", "{\"productId\": \(product), \"quantity\": \(Int.random(in: 1...500, using: &dice))}", "main"),
            ("cart/increment", "{\"productId\": \(product)}", "main"),
            ("cart/decrement", "{\"productId\": \(product)}", "main"),
            ("cart/clear", "", "main"), ("user/logIn", #"{"name": "Ada"}"#, "main"), ("user/logOut", "", "main"),
            ("user/save", "{\"name\": \"n\(product)\"}", "main"), ("catalog/remove", "{\"id\": \(product)}", "common"),
            ("catalog/put", "{\"id\": \(product), \"name\": \"p\", \"price\": 0.\(product)}", "common"),
            ("catalog/setDiscount", "{\"rate\": 0.\(product)}", "common"),
        ]
        let (action, input, space) = actions[Int.random(in: actions.indices, using: &dice)]
        shop.post(action, input, in: space)
    }

    @Test(.bothForms)
    func `two watchers of a view receive the same values in the same order, and a later one receives the last`()
        throws
    {
        let shop = try Shop()
        let watches = [shop.watch(Self.views), shop.watch(Self.views)]
        var dice = Randomness(seed: 1)
        for _ in 0..<300 { act(&dice, in: shop) }
        #expect(watches[0].events == watches[1].events)
        #expect(watches[0].events.count > 100)
        var shown: [String: String] = [:]
        for event in watches[0].emissions.joined() { shown[event.view] = event.value }
        let late = shop.watch(Self.views)
        #expect(late.emissions == [Self.views.map { Shop.Emission(view: $0, value: shown[$0] ?? "") }])
    }

    @Test(.bothForms, arguments: 1...5 as ClosedRange<UInt64>)
    func `a restarted server shows the same views as before`(_ seed: UInt64) throws {
        let shop = try Shop()
        var dice = Randomness(seed: seed)
        let replay = Replay(of: try #require(SpaceName("main")), try Shop.registry())
        for _ in 0..<60 {
            act(&dice, in: shop)
            let again = try Shop(shop.journal)
            for view in Self.views { #expect(again.get(view) == shop.get(view)) }
        }
        for space in ["common", "main"] {
            guard case .commits(let commits) = try shop.journal.read(#require(SpaceName(space)), after: 0, limit: .max)
            else { return }
            for commit in commits { try replay.play(commit) }
        }
        for view in Self.views {
            #expect(replay.value(of: ViewKey(view)) == .success(ViewValue(Array(shop.get(view).utf8))))
        }
    }

    @Test(.bothForms) func `a rejected action changes nothing and emits nothing`() throws {
        let shop = try Shop()
        shop.post("cart/add", #"{"productId": 1}"#)
        let watch = shop.watch(Self.views)
        for (action, input) in [
            ("cart/add", #"{"productId": 99}"#), ("cart/decrement", #"{"productId": 5}"#), ("user/save", "{}"),
        ] {
            guard case .failure(.rejected(let rejection)) = shop.post(action, input) else {
                Issue.record("\(action) was not refused")
                continue
            }
            #expect(rejection.pointer != nil && !rejection.description.isEmpty)
        }
        #expect(watch.events.count == 1)
        #expect(try shop.journal.load(#require(SpaceName("main")))?.version == 1)
    }

    @Test func `the systems describe their views and actions`() throws {
        let registry = try Registry(systems())
        let views = registry.views.filter(\.parameters.isEmpty).map(\.name.description)
        #expect(Array(views.prefix(Self.views.count)) == Self.views)
        #expect(registry.views.filter { !$0.parameters.isEmpty }.map(\.name) == ["catalog.product", "cart.order"])
        #expect(
            registry.actions.map { "\($0.feature)/\($0.name)" }.prefix(10) == [
                "user/logIn", "user/logOut", "user/save", "catalog/put", "catalog/remove", "catalog/setDiscount",
                "cart/add",
                "cart/increment",
                "cart/decrement", "cart/clear",
            ])
        let addition = try #require(registry.actions.first { $0.name == "add" })
        #expect(
            addition.input == [
                "title": "CartAddition", "type": "object",
                "properties": [
                    "productId": ["type": "integer", "format": "int64", "minimum": 1],
                    "quantity": ["type": "integer", "format": "int64", "minimum": 1, "maximum": 999],
                ],
                "required": ["productId"], "additionalProperties": false,
            ])
    }
}
