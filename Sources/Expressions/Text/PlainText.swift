/// Texts without case, without accents, and as words: by tables of the program, the same on all machines.
package enum PlainText {
    /// Returns a text in the form NFKC without differences of case.
    package static func fold(_ text: String) -> String {
        if let ascii = asciiFold(text) { return ascii }
        return string(composed(decomposed(text)))
    }

    /// Returns a text folded and without accents. Letters with a stroke are those without.
    package static func plain(_ text: String) -> String {
        if let ascii = asciiFold(text) { return ascii }
        let tables = UnicodeTables.shared
        var scalars: [UInt32] = []
        for scalar in decomposed(text) where !isAccent(tables.combiningClass(of: scalar)) {
            if let letters = tables.variant(of: scalar) { scalars += letters } else { scalars.append(scalar) }
        }
        return string(composed(scalars))
    }

    /// Returns the runs of letters, marks and digits of a folded text.
    package static func words(_ text: String) -> [String] {
        let folded = fold(text)
        let tables = UnicodeTables.shared
        return folded.unicodeScalars.split { !tables.isOfWord($0.value) }.map { String(String.UnicodeScalarView($0)) }
    }

    /// Returns the words of a text without accents, as a search compares them.
    package static func searchWords(_ text: String) -> [String] {
        words(text).map { plain($0) }.filter { !$0.isEmpty }
    }

    /// Returns a text of ASCII in lower case; nil for another text.
    private static func asciiFold(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        guard text.utf8.contains(where: { $0 &- 0x41 < 26 }) else { return text }
        return String(decoding: text.utf8.map { $0 &- 0x41 < 26 ? $0 + 32 : $0 }, as: UTF8.self)
    }

    /// Returns true for the combining class of an accent: marks above and below, strokes, points of Hebrew and Arabic. Vowels
    /// and viramas of other scripts are no accents.
    private static func isAccent(_ number: UInt8) -> Bool { number == 1 || (10...36).contains(number) || number >= 200 }

    /// Returns the decomposition of a text without case, with its marks in their order.
    static func decomposed(_ text: String) -> [UInt32] {
        let tables = UnicodeTables.shared
        var scalars: [UInt32] = []
        scalars.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { tables.appendFold(of: scalar.value, to: &scalars) }
        order(&scalars, tables)
        return scalars
    }

    /// Sorts each run of marks by their classes.
    private static func order(_ scalars: inout [UInt32], _ tables: UnicodeTables) {
        var start = 0
        while start < scalars.count {
            var end = start
            var run: [(number: UInt8, scalar: UInt32)] = []
            while end < scalars.count, case let number = tables.combiningClass(of: scalars[end]), number > 0 {
                run.append((number, scalars[end]))
                end += 1
            }
            if run.count > 1 {
                // A stable sort: marks of one class keep their order.
                let sorted = run.enumerated().sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
                for (place, mark) in sorted.enumerated() { scalars[start + place] = mark.element.scalar }
            }
            start = max(end, start + 1)
        }
    }

    /// Composes a text whose marks are in their order.
    private static func composed(_ scalars: [UInt32]) -> [UInt32] {
        let tables = UnicodeTables.shared
        var result: [UInt32] = []
        result.reserveCapacity(scalars.count)
        var starter: Int?
        var last: UInt8 = 0
        for scalar in scalars {
            let number = tables.combiningClass(of: scalar)
            // A mark behind another of its class or of a greater one is blocked.
            let isBlocked = starter.map { $0 < result.count - 1 && last >= number } ?? true
            if let place = starter, !isBlocked, let one = tables.composition(result[place], scalar) {
                result[place] = one
                continue
            }
            if number == 0 { starter = result.count }
            last = number
            result.append(scalar)
        }
        return result
    }

    private static func string(_ scalars: [UInt32]) -> String {
        var view = String.UnicodeScalarView()
        // Each came from a character, or from the tables.
        for scalar in scalars { if let scalar = Unicode.Scalar(scalar) { view.append(scalar) } }
        return String(view)
    }
}
