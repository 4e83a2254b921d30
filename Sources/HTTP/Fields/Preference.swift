/// The preferences of a client (RFC 7240).
package enum Preference {
    /// Returns true if a preference without a value is among those of `value`.
    package static func has(_ name: String, in value: String) -> Bool {
        tokens(of: value).contains { $0.trimmingSpaces.lowercased() == name }
    }

    /// Returns the seconds of `wait=25` among the preferences of `value`, or nil if there is none.
    package static func wait(in value: String) -> Int? {
        guard value.utf8.contains(UInt8(ascii: "=")) else { return nil }
        if value.hasPrefix("wait="), case let digits = value.utf8.dropFirst(5), (1...9).contains(digits.count),
            digits.allSatisfy({ (48...57).contains($0) })
        {
            return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
        }
        for token in tokens(of: value) {
            let parts = token.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingSpaces.lowercased() == "wait" else { continue }
            let text = parts[1].trimmingSpaces
            let digits =
                text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
                ? String(text.dropFirst().dropLast()) : text
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
            return Int(digits) ?? Int.max
        }
        return nil
    }

    /// The preferences, without their parameters.
    private static func tokens(of value: String) -> [Substring] {
        // A comma inside a quoted string does not separate preferences (RFC 9110, section 5.6.4).
        var isQuoted = false
        return value.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }.map { $0.split(separator: ";", omittingEmptySubsequences: false)[0] }
    }
}
