/// What a request says who sent it.
public enum Credentials {
    /// The token of `Authorization: Bearer …` (RFC 6750, section 2.1); nil where the value is of another kind.
    public static func bearer(_ value: String) -> String? {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let token = parts[1].trimmingSpaces
        return token.isEmpty ? nil : token
    }
}
