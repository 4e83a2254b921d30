import JSON
import StateStore

/// The options for each part of a guitar, for a picker.
struct GuitarOptions: Record {
    /// One option for a part.
    struct PartOption: Record {
        var name = ""
        var displayName = ""
        var price: Decimal = 0

        static let shape = Shape(PartOption()) {
            $0.required("name", \.name)
            $0.required("displayName", \.displayName)
            $0.required("price", \.price)
        }
    }

    var basePrice = Guitar.basePrice
    var shapes = options(of: GuitarShape.self)
    var colors = options(of: GuitarColor.self)
    var bodies = options(of: GuitarBody.self)
    var fretboards = options(of: Fretboard.self)

    static let shape = Shape(GuitarOptions()) {
        $0.required("basePrice", \.basePrice)
        $0.required("shape", \.shapes)
        $0.required("color", \.colors)
        $0.required("body", \.bodies)
        $0.required("fretboard", \.fretboards)
    }

    private static func options<Kind: GuitarPart>(of kind: Kind.Type) -> [PartOption] {
        kind.allCases.map { PartOption(name: $0.rawValue, displayName: $0.displayName, price: $0.price) }
    }
}
