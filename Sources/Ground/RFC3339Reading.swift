extension RFC3339 {
    /// Returns the microseconds since 1970 of a time as RFC 3339 writes it; nil if the text is none, or if the date does
    /// not exist. Decimals beyond the sixth are dropped. A leap second counts as the second after it.
    package static func microseconds(of text: String) -> Int64? {
        var rest = text.utf8[...]
        func number(_ digits: Int, _ range: ClosedRange<Int64>) -> Int64? {
            guard rest.count >= digits else { return nil }
            var number: Int64 = 0
            for byte in rest.prefix(digits) {
                guard (48...57).contains(byte) else { return nil }
                number = number * 10 + Int64(byte - 48)
            }
            rest = rest.dropFirst(digits)
            return range.contains(number) ? number : nil
        }
        func isNext(_ bytes: UInt8...) -> Bool {
            guard let first = rest.first, bytes.contains(first) else { return false }
            rest.removeFirst()
            return true
        }
        let dash = UInt8(ascii: "-")
        let colon = UInt8(ascii: ":")
        guard let year = number(4, 0...9_999), isNext(dash), let month = number(2, 1...12), isNext(dash),
            let day = number(2, 1...31), day <= CivilDate.days(in: month, of: year),
            // A space in place of the T, as the RFC allows.
            isNext(UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")),
            let hour = number(2, 0...23), isNext(colon), let minute = number(2, 0...59), isNext(colon),
            let second = number(2, 0...60)
        else { return nil }
        var decimals: Int64 = 0
        if isNext(UInt8(ascii: ".")) {
            var unit: Int64 = 100_000
            var count = 0
            while let byte = rest.first, (48...57).contains(byte) {
                decimals += Int64(byte - 48) * unit
                unit /= 10
                count += 1
                rest.removeFirst()
            }
            guard count > 0 else { return nil }
        }
        var offset: Int64 = 0
        if !isNext(UInt8(ascii: "Z"), UInt8(ascii: "z")) {
            let isBehind = rest.first == dash
            // A plus sign that a query decodes as a space means a plus sign.
            guard isNext(UInt8(ascii: "+"), dash, UInt8(ascii: " ")), let hours = number(2, 0...23), isNext(colon),
                let minutes = number(2, 0...59)
            else { return nil }
            offset = (hours * 60 + minutes) * (isBehind ? -60 : 60)
        }
        guard rest.isEmpty else { return nil }
        let days = CivilDate(year: year, month: month, day: day).days
        return (days * 86_400 + hour * 3_600 + minute * 60 + second - offset) * 1_000_000 + decimals
    }
}
