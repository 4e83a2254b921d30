import JSON

extension JSON {
    /// Returns the approximate bytes of the value as JSON text; more than `limit` if it exceeds the limit.
    func byteCount(upTo limit: Int) -> Int {
        var count = 0
        addBytes(&count, limit)
        return count
    }

    private func addBytes(_ count: inout Int, _ limit: Int) {
        guard count <= limit else { return }
        switch self {
        case .null, .bool, .number: count += 8
        case .string(let text): count += text.utf8.count + 2
        case .array(let elements):
            count += 2
            for element in elements where count <= limit { element.addBytes(&count, limit) }
        case .object(let object):
            count += 2
            for member in object where count <= limit {
                count += member.key.utf8.count + 4
                member.value.addBytes(&count, limit)
            }
        }
    }
}

extension JSON.Kind {
    /// The kind with its article.
    var words: String {
        switch self {
        case .null: "null"
        case .array, .object: "an \(rawValue)"
        case .boolean, .number, .string: "a \(rawValue)"
        }
    }
}
