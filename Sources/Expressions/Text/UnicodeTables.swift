/// The facts about characters, unpacked.
struct UnicodeTables: Sendable {
    /// The tables, unpacked at the first use.
    static let shared = UnicodeTables()

    /// A run of characters whose values are in a row.
    private struct ScalarRun {
        let start: UInt32
        let count: UInt32
        let step: UInt32
        let value: UInt32
        let rise: UInt32

        func value(of scalar: UInt32) -> UInt32? {
            let distance = scalar - start
            guard distance % step == 0, distance / step < count else { return nil }
            return value + distance / step * rise
        }
    }

    /// A range of characters with one number.
    private struct ScalarRange {
        let start: UInt32
        let count: UInt32
        let number: UInt8
    }

    /// The characters that decompose into one other, and those that decompose into several.
    private let folds: [ScalarRun]
    private let expansions: [UInt32: [UInt32]]
    /// The letters that are variants of others, as ø of o.
    private let variants: [UInt32: [UInt32]]
    private let classes: [ScalarRange]
    private let words: [ScalarRange]
    private let ranks: [ScalarRun]
    /// The characters composed of two, and the reverse.
    private let compositions: [UInt64: UInt32]
    private let composites: Set<UInt32>

    private init() {
        var reader = PackedReader(UnicodeData.packed)
        folds = reader.runs()
        let expansions = reader.lists()
        self.expansions = expansions
        variants = reader.lists()
        classes = reader.ranges(hasNumbers: true)
        let composites = reader.points()
        words = reader.ranges(hasNumbers: false)
        ranks = reader.runs()
        var known: [[UInt32]: UInt32] = [:]
        var pairs: [UInt64: UInt32] = [:]
        let ordered = composites.compactMap { point in expansions[point].map { (point, $0) } }
            .sorted { ($0.1.count, $0.0) < ($1.1.count, $1.0) }
        for (point, parts) in ordered {
            known[parts] = point
            let head = Array(parts.dropLast())
            guard let last = parts.last, let first = head.count == 1 ? head[0] : known[head] else { continue }
            pairs[UInt64(first) << 32 | UInt64(last)] = point
        }
        compositions = pairs
        self.composites = Set(composites)
    }

    // MARK: Lookups

    private static func run(of scalar: UInt32, in runs: [ScalarRun]) -> UInt32? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].start <= scalar { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? runs[low - 1].value(of: scalar) : nil
    }

    private static func range(of scalar: UInt32, in ranges: [ScalarRange]) -> ScalarRange? {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].start <= scalar { low = middle + 1 } else { high = middle }
        }
        guard low > 0, scalar - ranges[low - 1].start < ranges[low - 1].count else { return nil }
        return ranges[low - 1]
    }

    /// Appends the decomposition of a character without case.
    func appendFold(of scalar: UInt32, to scalars: inout [UInt32]) {
        if scalar < 0x80 {
            scalars.append(scalar &- 0x41 < 26 ? scalar + 32 : scalar)
        } else if case let syllable = scalar &- Hangul.base, syllable < Hangul.count {
            scalars.append(Hangul.leading + syllable / Hangul.block)
            scalars.append(Hangul.vowel + syllable % Hangul.block / Hangul.trailingCount)
            let trailing = syllable % Hangul.trailingCount
            if trailing > 0 { scalars.append(Hangul.trailing + trailing) }
        } else if let one = Self.run(of: scalar, in: folds) {
            scalars.append(one)
        } else if let several = expansions[scalar] {
            scalars += several
        } else {
            scalars.append(scalar)
        }
    }

    /// Returns true if a character has no case and no other form of itself.
    func isPlain(_ scalar: UInt32) -> Bool {
        if scalar < 0x80 { return scalar &- 0x41 >= 26 }
        if scalar &- Hangul.base < Hangul.count { return true }
        return composites.contains(scalar)
            || Self.run(of: scalar, in: folds) == nil && expansions[scalar] == nil
    }

    /// The letters that a character is a variant of; nil for none.
    func variant(of scalar: UInt32) -> [UInt32]? { scalar < 0x80 ? nil : variants[scalar] }

    /// The combining class of a character.
    func combiningClass(of scalar: UInt32) -> UInt8 {
        scalar < 0x300 ? 0 : Self.range(of: scalar, in: classes)?.number ?? 0
    }

    /// Returns true if a character is a letter, a mark or a digit.
    func isOfWord(_ scalar: UInt32) -> Bool {
        if scalar < 0x80 {
            return scalar &- 0x61 < 26 || scalar &- 0x41 < 26 || scalar &- 0x30 < 10
        }
        return Self.range(of: scalar, in: words) != nil
    }

    /// The place of a character in the root collation; nil for one that has none of its own.
    func rank(of scalar: UInt32) -> UInt32? { Self.run(of: scalar, in: ranks) }

    /// The character composed of two; nil for none.
    func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
        let (leading, vowel) = (first &- Hangul.leading, second &- Hangul.vowel)
        if leading < Hangul.leadingCount, vowel < Hangul.vowelCount {
            return Hangul.base + (leading * Hangul.vowelCount + vowel) * Hangul.trailingCount
        }
        let syllable = first &- Hangul.base
        let trailing = second &- Hangul.trailing
        if syllable < Hangul.count, syllable % Hangul.trailingCount == 0, trailing > 0, trailing < Hangul.trailingCount
        {
            return first + trailing
        }
        return compositions[UInt64(first) << 32 | UInt64(second)]
    }

    /// The numbers by which syllables of Hangul are computed.
    private enum Hangul {
        static let base: UInt32 = 0xAC00
        static let leading: UInt32 = 0x1100
        static let vowel: UInt32 = 0x1161
        static let trailing: UInt32 = 0x11A7
        static let leadingCount: UInt32 = 19
        static let vowelCount: UInt32 = 21
        static let trailingCount: UInt32 = 28
        static let block = vowelCount * trailingCount
        static let count = leadingCount * block
    }

    /// A reader of the packed tables, in the form that `Scripts/unicode` writes.
    private struct PackedReader {
        private let bytes: [UInt8]
        private var next = 0

        init(_ text: String) { bytes = PackedReader.decoded(text) }

        private static func decoded(_ text: String) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.utf8.count * 3 / 4)
            var (bits, count): (UInt32, Int) = (0, 0)
            for letter in text.utf8 {
                let value: UInt8
                switch letter {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - UInt8(ascii: "A")
                case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - UInt8(ascii: "a") + 26
                case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter - UInt8(ascii: "0") + 52
                case UInt8(ascii: "+"): value = 62
                case UInt8(ascii: "/"): value = 63
                default: continue
                }
                bits = bits << 6 | UInt32(value)
                count += 6
                if count >= 8 {
                    count -= 8
                    bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                }
            }
            return bytes
        }

        private mutating func number() -> UInt32 {
            var (number, shift): (UInt32, UInt32) = (0, 0)
            while true {
                let byte = bytes[next]
                next += 1
                number |= UInt32(byte & 0x7F) << shift
                if byte < 0x80 { return number }
                shift += 7
            }
        }

        private mutating func signed() -> Int64 {
            let number = number()
            return number & 1 == 0 ? Int64(number >> 1) : -Int64(number >> 1) - 1
        }

        mutating func runs() -> [ScalarRun] {
            var (start, value): (UInt32, Int64) = (0, 0)
            return (0..<number()).map { _ in
                let head = number()
                start += head >> 3
                value += signed()
                guard head & 7 > 0 else {
                    return ScalarRun(start: start, count: 1, step: 1, value: UInt32(value), rise: 0)
                }
                let form = (head & 7) - 1
                return ScalarRun(
                    start: start, count: number(), step: form % 2 + 1, value: UInt32(value), rise: form / 2)
            }
        }

        mutating func lists() -> [UInt32: [UInt32]] {
            var point: UInt32 = 0
            var lists: [UInt32: [UInt32]] = [:]
            for _ in 0..<number() {
                point += number()
                lists[point] = (0..<number()).map { _ in number() }
            }
            return lists
        }

        mutating func ranges(hasNumbers: Bool) -> [ScalarRange] {
            var end: UInt32 = 0
            return (0..<number()).map { _ in
                let start = end + number()
                let count = number()
                // Ranges with numbers count from the start of the one before, others from its end.
                end = hasNumbers ? start : start + count
                return ScalarRange(start: start, count: count, number: hasNumbers ? UInt8(number()) : 0)
            }
        }

        mutating func points() -> [UInt32] {
            var point: UInt32 = 0
            return (0..<number()).map { _ in
                point += number()
                return point
            }
        }
    }
}
