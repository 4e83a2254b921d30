/// The set of characters that a pattern accepts at one position.
struct CharacterSet: Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    /// The general categories, one bit for each.
    var categories: UInt32 = 0
    /// Nested sets, such as `\D`.
    var others: [CharacterSet] = []
    var isNegated = false
    var ignoresCase = false

    init(_ ranges: [ClosedRange<UInt32>], isNegated: Bool = false) {
        self.ranges = ranges
        self.isNegated = isNegated
    }

    init(_ scalar: Unicode.Scalar, ignoresCase: Bool) {
        ranges = [scalar.value...scalar.value]
        self.ignoresCase = ignoresCase
    }

    /// The approximate cost of a lookup, relative to a step.
    var cost: Int {
        ranges.count / 4 + (categories == 0 ? 1 : 4) * (ignoresCase ? 16 : 1) + others.reduce(0) { $0 + $1.cost }
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        (holds(scalar) || (ignoresCase && scalar.otherCases.contains(where: holds))) != isNegated
    }

    private func holds(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        return ranges.contains { $0 ~= value }
            || (categories != 0 && categories & scalar.properties.generalCategory.bit != 0)
            || others.contains { $0.contains(scalar) }
    }

    static let digits = CharacterSet([48...57])
    static let spaces = CharacterSet([9...10, 12...13, 32...32])
    static let word = CharacterSet([48...57, 65...90, 95...95, 97...122])
    static let any = CharacterSet([0...0x10FFFF])
    static let anyButNewline = CharacterSet([0...9, 11...0x10FFFF])

    var negated: CharacterSet {
        var copy = self
        copy.isNegated.toggle()
        return copy
    }

    /// The named classes `[:alpha:]` and so on, all ASCII.
    static let named: [String: CharacterSet] = [
        "alnum": CharacterSet([48...57, 65...90, 97...122]), "alpha": CharacterSet([65...90, 97...122]),
        "ascii": CharacterSet([0...127]),
        "blank": CharacterSet([9...9, 32...32]), "cntrl": CharacterSet([0...31, 127...127]), "digit": digits,
        "graph": CharacterSet([33...126]), "lower": CharacterSet([97...122]), "print": CharacterSet([32...126]),
        "punct": CharacterSet([33...47, 58...64, 91...96, 123...126]), "space": CharacterSet([9...13, 32...32]),
        "upper": CharacterSet([65...90]), "word": word, "xdigit": CharacterSet([48...57, 65...70, 97...102]),
    ]

    /// Returns the set for `\pL` or `\p{Lu}`; nil for an unknown name.
    static func property(_ name: String) -> CharacterSet? {
        var set = CharacterSet([])
        if name == "Any" { return any }
        if let script = scripts[name] { return CharacterSet(script) }
        for (place, category) in Unicode.GeneralCategory.names.enumerated()
        where category == name || (name.utf8.count == 1 && category.hasPrefix(name)) {
            set.categories |= 1 << UInt32(place)
        }
        guard set.categories != 0 else { return nil }
        return set
    }

    // The most common scripts, by the Unicode blocks of their letters.
    private static let scripts: [String: [ClosedRange<UInt32>]] = [
        "Latin": [
            65...90, 97...122, 0xAA...0xAA, 0xBA...0xBA, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2B8, 0x1E00...0x1EFF,
            0x2C60...0x2C7F,
        ],
        "Greek": [
            0x370...0x373, 0x375...0x377, 0x37A...0x37D, 0x37F...0x37F, 0x384...0x384, 0x386...0x386, 0x388...0x3E1,
            0x3F0...0x3FF,
            0x1F00...0x1FFE,
        ],
        "Cyrillic": [0x400...0x484, 0x487...0x52F, 0x1C80...0x1C88, 0x2DE0...0x2DFF, 0xA640...0xA69F],
        "Hebrew": [0x591...0x5F4],
        "Arabic": [
            0x600...0x604, 0x606...0x60B, 0x60D...0x61A, 0x61C...0x61E, 0x620...0x63F, 0x641...0x64A, 0x656...0x66F,
            0x671...0x6DC,
            0x6DE...0x6FF, 0x750...0x77F,
        ],
        "Thai": [0xE01...0xE3A, 0xE40...0xE5B], "Hiragana": [0x3041...0x3096, 0x309D...0x309F],
        "Katakana": [0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF],
        "Hangul": [0x1100...0x11FF, 0x3131...0x318E, 0xAC00...0xD7A3],
        "Han": [
            0x2E80...0x2FD5, 0x3005...0x3005, 0x3007...0x3007, 0x3021...0x3029, 0x3038...0x303B, 0x3400...0x4DBF,
            0x4E00...0x9FFF,
            0xF900...0xFAD9, 0x20000...0x323AF,
        ],
        "Devanagari": [0x900...0x950, 0x955...0x963, 0x966...0x97F],
    ]
}

extension Unicode.Scalar {
    /// The other cases of the letter that are a single character.
    fileprivate var otherCases: [Unicode.Scalar] {
        if isASCII {
            return isNameStart && self != "_"
                ? [Unicode.Scalar(UInt8(value) ^ 0x20)]
                    + (self == "k" || self == "K" ? ["\u{212A}"] : self == "s" || self == "S" ? ["\u{17F}"] : []) : []
        }
        var cases: [Unicode.Scalar] = []
        for text in [properties.lowercaseMapping, properties.uppercaseMapping, properties.titlecaseMapping] {
            let scalars = text.unicodeScalars
            if scalars.count == 1, let scalar = scalars.first, scalar != self {
                cases.append(scalar)
                // ς and σ have the same uppercase Σ.
                let lower = scalar.properties.lowercaseMapping.unicodeScalars
                if lower.count == 1, let first = lower.first { cases.append(first) }
            }
        }
        return cases
    }
}

extension Unicode.GeneralCategory {
    /// The names of the categories in patterns, in the order of their bits.
    fileprivate static let names = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
        "Sm", "Sc", "Sk", "So",
        "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]

    private static let all: [Unicode.GeneralCategory] = [
        .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
        .spacingMark, .enclosingMark,
        .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation,
        .closePunctuation,
        .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol,
        .otherSymbol,
        .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format, .surrogate, .privateUse, .unassigned,
    ]

    fileprivate var bit: UInt32 {
        Self.all.firstIndex(of: self).map { 1 << UInt32($0) } ?? 0
    }
}
