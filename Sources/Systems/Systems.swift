public import StateStore

/// The systems that a server has: a line for each.
public let systems: [Feature] = [
    Feature("user", UserState.init, UserService.init, UserViewModel.init),
    Feature("catalog", in: .common, CatalogState.init, CatalogService.init, CatalogViewModel.init),
    Feature("cart", given: CatalogState.self, CartState.init, CartService.init, CartViewModel.init),
]
