/// The root order of texts: letters of one alphabet together, then accents, then small letters before capitals.
package enum RootCollation {
    /// The number of characters of a text that its order follows from.
    package static let limit = 1_024

    /// Returns a text whose order by code points is the order of the text.
    package static func key(_ text: String) -> String {
        let tables = UnicodeTables.shared
        var key = String.UnicodeScalarView()
        var (accents, cases): ([UInt32], [UInt32]) = ([], [])
        for scalar in text.unicodeScalars.prefix(limit) {
            var parts: [UInt32] = []
            tables.appendFold(of: scalar.value, to: &parts)
            let form = tables.isPlain(scalar.value) ? same : capital
            for part in parts {
                guard tables.combiningClass(of: part) == 0 else {
                    accents.append(part)
                    continue
                }
                let letters = tables.variant(of: part)
                for letter in letters ?? [part] {
                    append(primary(of: letter, tables), to: &key)
                    accents.append(same)
                    cases.append(form)
                }
                if letters != nil { accents.append(variantMark) }
            }
        }
        for level in [accents, cases] {
            append(end, to: &key)
            for weight in level.prefix(through: level.lastIndex { $0 != same } ?? -1) { append(weight, to: &key) }
        }
        return String(key)
    }

    /// The end of a level, and the weights of what has nothing special.
    private static let end: UInt32 = 1
    private static let same: UInt32 = 2
    private static let capital: UInt32 = 3
    /// The weight of a letter with a stroke, and of a ligature: before those of marks.
    private static let variantMark: UInt32 = 4
    /// The first weights of characters that the tables rank, of common Han characters, and of all others by their number.
    private static let ranked: UInt32 = 16
    private static let han: UInt32 = 0x10000
    private static let others: UInt32 = 0x20000

    private static func primary(of scalar: UInt32, _ tables: UnicodeTables) -> UInt32 {
        if let rank = tables.rank(of: scalar) {
            // No surrogates.
            let weight = ranked + rank
            return weight < 0xD800 ? weight : weight + 0x800
        }
        if (0x4E00...0x9FFF).contains(scalar) { return han + scalar }
        return min(others + scalar, 0x10FFFF)
    }

    private static func append(_ weight: UInt32, to key: inout String.UnicodeScalarView) {
        if let scalar = Unicode.Scalar(weight) { key.append(scalar) }
    }
}
