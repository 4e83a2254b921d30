import JSON
import StateStore

/// A guitar as configured.
struct Guitar: Record {
    var shape = GuitarShape.casual
    var color = GuitarColor.natural
    var body = GuitarBody.mahogany
    var fretboard = Fretboard.rosewood

    static let shape: Shape<Guitar> = Shape(Guitar()) {
        $0.required("shape", \.shape)
        $0.required("color", \.color)
        $0.required("body", \.body)
        $0.required("fretboard", \.fretboard)
    }

    /// The base price of every guitar, in US dollars.
    static let basePrice: Decimal = 2_000

    /// The sum of the prices of its parts.
    var additionsPrice: Decimal {
        get throws(Decimal.Overflow) { try shape.price + color.price + body.price + fretboard.price }
    }

    var price: Decimal {
        get throws(Decimal.Overflow) { try Self.basePrice + additionsPrice }
    }

    /// The guitar in words: `Sky Casual with Koa body and Birdseye Maple fretboard`.
    var description: String {
        "\(color.displayName) \(shape.displayName) with \(body.displayName) body and \(fretboard.displayName) fretboard"
    }
}

/// A guitar in the view.
struct GuitarSummary: Record {
    var guitar = Guitar()
    var description = ""
    var additionsPrice: Decimal = 0
    var price: Decimal = 0
    var formattedPrice = ""

    static let shape = Shape(GuitarSummary()) {
        $0.required("shape", \.guitar.shape)
        $0.required("color", \.guitar.color)
        $0.required("body", \.guitar.body)
        $0.required("fretboard", \.guitar.fretboard)
        $0.required("description", \.description)
        $0.required("additionsPrice", \.additionsPrice)
        $0.required("price", \.price)
        $0.required("formattedPrice", \.formattedPrice)
    }
}

extension GuitarSummary {
    init(_ guitar: Guitar, in money: ExchangeCurrency) throws {
        self.guitar = guitar
        description = guitar.description
        additionsPrice = try guitar.additionsPrice
        price = try guitar.price
        formattedPrice = try money.formatted(price)
    }
}
