import JSON

extension JSON {
    /// A random value with at most `depth` levels.
    static func random(depth: Int, using random: inout SplitMix64) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2:
            return .number(
                Decimal(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)))
        case 3:
            let exponent = Int.random(in: -30...20, using: &random)
            let value = try? Decimal(Int64.random(in: .min ... .max, using: &random), exponent: exponent)
            return .number(value ?? 0)
        case 4: return .string(text(using: &random))
        case 5:
            return .array(
                (0..<Int.random(in: 0..<4, using: &random)).map { _ in JSON.random(depth: depth - 1, using: &random) })
        default:
            var object = Object()
            for _ in 0..<Int.random(in: 0..<(depth == 1 ? 20 : 4), using: &random) {
                object[text(using: &random)] = JSON.random(depth: depth - 1, using: &random)
            }
            return .object(object)
        }
    }

    private static func text(using random: inout SplitMix64) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0..<24, using: &random) {
            let scalar: Unicode.Scalar? =
                switch Int.random(in: 0..<8, using: &random) {
                case 0: Unicode.Scalar(UInt32.random(in: 0..<0x20, using: &random))
                case 1: ["\"", "\\", "/", "\u{7F}", "\u{2028}"].randomElement(using: &random)
                case 2: Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random))
                case 3: Unicode.Scalar(UInt32.random(in: 0x300...0x320, using: &random))
                default: Unicode.Scalar(UInt32.random(in: 0x20..<0x7F, using: &random))
                }
            if let scalar { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
