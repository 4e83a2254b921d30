import JSON
import StateStore

/// The actions that edit the catalog.
struct CatalogService: StateService {
    let put: Action<CatalogProduct>
    let remove: Action<ProductReference>
    let setDiscount: Action<Discount>

    init(_ catalog: CatalogState) {
        put = Action { product, commit in
            commit[catalog.products, product.id] = product
        }
        remove = Action { input, commit throws(Rejection) in
            guard commit[catalog.products, input.id] != nil else {
                throw .conflict("there is no product \(input.id)", at: "id")
            }
            commit[catalog.products, input.id] = nil
        }
        setDiscount = Action { input, commit in
            commit[catalog.discountRate] = input.rate
        }
    }
}

/// The id of a product.
struct ProductReference: Record {
    var id = 0

    static let shape = Shape(ProductReference()) {
        $0.required("id", \.id, .from(1...))
    }
}

/// The discount on every price.
struct Discount: Record {
    var rate: Decimal = 0

    static let shape = Shape(Discount()) {
        $0.required("rate", \.rate, .share)
    }
}
