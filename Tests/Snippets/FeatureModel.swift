import StateModel

struct CatalogState { let products = Table<String, Int>() }
struct CatalogService: StateService { init(_ catalog: CatalogState) {} }
struct CatalogViewModel: ViewModel { init(_ catalog: CatalogState) {} }
static let catalog = FeatureModel("catalog", CatalogState.init, CatalogService.init, CatalogViewModel.init)

struct CartState { let lines = Table<String, Int>() }
struct CartService: StateService { init(_ cart: CartState, _ catalog: ReadOnly<CatalogState>) {} }
struct CartViewModel: ViewModel { init(_ cart: CartState, _ catalog: ReadOnly<CatalogState>) {} }

struct AuctionState { let lots = Table<String, Int>() }
struct AuctionService: StateService { init(_ auction: AuctionState) {} }
struct AuctionViewModel: ViewModel { init(_ auction: AuctionState) {} }

struct One {
    // snippet
}

struct Two {
    // snippet
}
