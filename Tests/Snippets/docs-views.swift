import Reactive
import StateStore

struct CatalogProduct: Record { var name = "" }
struct CatalogState { let products = Table<Int, CatalogProduct>() }

// snippet
