/// Which characters stand at a place of a pattern.
struct CharacterSet: Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    /// General categories, each as it is or all but it.
    var categories: [(names: Set<String>, isNegated: Bool)] = []
    /// Sets within this one, such as `\D`.
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

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        (holds(scalar) || (ignoresCase && scalar.otherCases.contains(where: holds))) != isNegated
    }

    private func holds(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        return ranges.contains { $0 ~= value }
            || categories.contains { $0.names.contains(scalar.properties.generalCategory.short) != $0.isNegated }
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

    /// `[:alpha:]` and so on, all of ASCII.
    static let named: [String: CharacterSet] = [
        "alnum": CharacterSet([48...57, 65...90, 97...122]), "alpha": CharacterSet([65...90, 97...122]), "ascii": CharacterSet([0...127]),
        "blank": CharacterSet([9...9, 32...32]), "cntrl": CharacterSet([0...31, 127...127]), "digit": digits,
        "graph": CharacterSet([33...126]), "lower": CharacterSet([97...122]), "print": CharacterSet([32...126]),
        "punct": CharacterSet([33...47, 58...64, 91...96, 123...126]), "space": CharacterSet([9...13, 32...32]),
        "upper": CharacterSet([65...90]), "word": word, "xdigit": CharacterSet([48...57, 65...70, 97...102]),
    ]

    /// `\pL`, `\p{Lu}`; nil for a name that there is not.
    static func property(_ name: String) -> CharacterSet? {
        var set = CharacterSet([])
        if name == "Any" { return any }
        if let script = scripts[name] { return CharacterSet(script) }
        let names = Set(Unicode.GeneralCategory.shorts.filter { $0 == name || (name.utf8.count == 1 && $0.hasPrefix(name)) })
        guard !names.isEmpty else { return nil }
        set.categories = [(names, false)]
        return set
    }

    // The scripts of most texts, by the blocks of Unicode that hold their letters.
    private static let scripts: [String: [ClosedRange<UInt32>]] = [
        "Latin": [65...90, 97...122, 0xAA...0xAA, 0xBA...0xBA, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2B8, 0x1E00...0x1EFF, 0x2C60...0x2C7F],
        "Greek": [
            0x370...0x373, 0x375...0x377, 0x37A...0x37D, 0x37F...0x37F, 0x384...0x384, 0x386...0x386, 0x388...0x3E1, 0x3F0...0x3FF,
            0x1F00...0x1FFE,
        ],
        "Cyrillic": [0x400...0x484, 0x487...0x52F, 0x1C80...0x1C88, 0x2DE0...0x2DFF, 0xA640...0xA69F],
        "Hebrew": [0x591...0x5F4],
        "Arabic": [
            0x600...0x604, 0x606...0x60B, 0x60D...0x61A, 0x61C...0x61E, 0x620...0x63F, 0x641...0x64A, 0x656...0x66F, 0x671...0x6DC,
            0x6DE...0x6FF, 0x750...0x77F,
        ],
        "Thai": [0xE01...0xE3A, 0xE40...0xE5B], "Hiragana": [0x3041...0x3096, 0x309D...0x309F],
        "Katakana": [0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF], "Hangul": [0x1100...0x11FF, 0x3131...0x318E, 0xAC00...0xD7A3],
        "Han": [
            0x2E80...0x2FD5, 0x3005...0x3005, 0x3007...0x3007, 0x3021...0x3029, 0x3038...0x303B, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xF900...0xFAD9, 0x20000...0x323AF,
        ],
        "Devanagari": [0x900...0x950, 0x955...0x963, 0x966...0x97F],
    ]
}

extension Unicode.Scalar {
    /// The same letter in its other cases, where each is one character.
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
                // ς and σ meet in Σ.
                let lower = scalar.properties.lowercaseMapping.unicodeScalars
                if lower.count == 1, let first = lower.first { cases.append(first) }
            }
        }
        return cases
    }
}

extension Unicode.GeneralCategory {
    fileprivate static let shorts = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So",
        "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]

    /// As patterns name it.
    fileprivate var short: String {
        switch self {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
