import JSON

extension JSON.Kind {
    /// The kind with its article.
    var words: String {
        switch self {
        case .null: "null"
        case .array, .object: "an \(rawValue)"
        default: "a \(rawValue)"
        }
    }
}

extension JSON {
    /// The value as a fault quotes it, cut to about 50 characters.
    var shown: String {
        let text = description
        return text.utf8.count <= 60 ? text : "\(text.prefix(50))…"
    }
}
