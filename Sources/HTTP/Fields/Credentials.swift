/// The credentials of a request.
package enum Credentials {
    /// Returns the token of `Authorization: Bearer …` (RFC 6750, section 2.1), or nil for another scheme.
    package static func bearer(_ value: String) -> String? {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let token = parts[1].trimmingSpaces
        return token.isEmpty ? nil : token
    }
}
