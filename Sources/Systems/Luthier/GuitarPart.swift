import JSON
import StateStore

/// A part of a guitar with several options.
protocol GuitarPart: Choice {
    /// The surcharge, in US dollars.
    var price: Decimal { get }
}

extension GuitarPart {
    /// The name in words: `Long V`, `Black Limba`.
    var displayName: String {
        var name = ""
        for character in rawValue {
            if character.isUppercase { name.append(" ") }
            name += name.isEmpty ? character.uppercased() : String(character)
        }
        return name
    }
}

enum GuitarShape: String, GuitarPart {
    case casual, chunky, longV, sharpV

    var price: Decimal {
        switch self {
        case .casual, .chunky: 0
        case .longV: 75
        case .sharpV: 100
        }
    }
}

enum GuitarColor: String, GuitarPart {
    case natural, sky, dusk, earth

    var price: Decimal {
        switch self {
        case .natural, .dusk: 0
        case .sky: 150
        case .earth: 50
        }
    }
}

enum GuitarBody: String, GuitarPart {
    case mahogany, blackLimba, swampAsh, koa

    var price: Decimal {
        switch self {
        case .mahogany: 0
        case .blackLimba: 150
        case .swampAsh: 80
        case .koa: 100
        }
    }
}

enum Fretboard: String, GuitarPart {
    case rosewood, birdseyeMaple, ebony, blackLimba

    var price: Decimal {
        switch self {
        case .rosewood: 0
        case .birdseyeMaple: 80
        case .ebony: 100
        case .blackLimba: 120
        }
    }
}
