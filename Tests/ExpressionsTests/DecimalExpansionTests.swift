import Foundation
import Testing

@testable import Expressions

/// Decimal texts of doubles, which are those of C's `printf`.
struct DecimalExpansionTests {
    private static let borders: [Double] = [
        0, -0.0, 1, -1, 0.5, 1.5, 2.5, 0.125, 0.1, 9.5, 9.995, 99.5, 999_999.5, 0.05, 0.000_5, 1e15, 1e22, 1e23,
        .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .pi, 123_456_789.123_456_78,
    ]

    @Test(arguments: borders, [0, 1, 2, 3, 6, 17, 40])
    func `borders have the digits of printf`(_ number: Double, _ places: Int) {
        #expect(DecimalExpansion(number).fixed(places) == String(format: "%.\(places)f", number))
        #expect(DecimalExpansion(number).scientific(places) == String(format: "%.\(places)e", number))
    }

    @Test func `random doubles have the digits of printf`() {
        var bits: UInt64 = 0x9E37_79B9_7F4A_7C15
        for round in 0..<2_000 {
            bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let number = Double(bitPattern: bits ^ bits >> 29)
            guard number.isFinite else { continue }
            let places = round % 20
            #expect(DecimalExpansion(number).fixed(places) == String(format: "%.\(places)f", number))
            #expect(DecimalExpansion(number).scientific(places) == String(format: "%.\(places)e", number))
        }
    }
}
