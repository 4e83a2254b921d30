import JSON

/// The part of a list that a request asks for.
struct ListWindow: Sendable {
    /// The parameters of a window, in the order in which a view's name has them.
    static let names = ["limit", "after", "total"]
    /// The rows of a window at most.
    static let limits = 1...1_000
    /// The rows of a window without `limit`.
    static let defaultLimit = 100

    /// The rows at most.
    let limit: Int
    /// The row after which it begins; nil for the beginning of the list.
    let after: ListPlace?
    /// The token of `after`, as the server writes it.
    let token: String?
    /// True if the number of all rows is asked for.
    let wantsTotal: Bool

    /// Reads a window of a view; nil if no parameter asks for one.
    init?(
        _ arguments: [String: String], of view: String, _ key: DigestKey
    ) throws(ParameterFault) {
        guard Self.names.contains(where: { arguments[$0] != nil }) else { return nil }
        limit = try Self.limit(arguments["limit"])
        // An empty text is the place before the first row, for clients that always send the parameter.
        let token = arguments["after"].flatMap { $0.isEmpty ? nil : $0 }
        after = try token.map { token throws(ParameterFault) in
            guard let place = ListPlace(token, of: view, key) else {
                throw ParameterFault("after is not a next that this view has answered", at: "after")
            }
            return place
        }
        self.token = token
        wantsTotal = try Self.flag(arguments["total"])
    }

    private static func limit(_ text: String?) throws(ParameterFault) -> Int {
        guard let text else { return defaultLimit }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let limit = Int(text), limits.contains(limit) else {
            throw ParameterFault(
                "limit is a number from \(limits.lowerBound) to \(limits.upperBound)", at: "limit")
        }
        return limit
    }

    private static func flag(_ text: String?) throws(ParameterFault) -> Bool {
        switch text {
        case nil, "0": return false
        case "1": return true
        default: throw ParameterFault("total is 1, or left out", at: "total", allowed: ["0", "1"])
        }
    }

    /// The window as a view's name has it: one form for each window. The default limit is left out if another parameter
    /// asks for the window.
    var pairs: [(name: String, value: String)] {
        var others: [(name: String, value: String)] = []
        if let token { others.append(("after", token)) }
        if wantsTotal { others.append(("total", "1")) }
        return limit == Self.defaultLimit && !others.isEmpty ? others : [("limit", "\(limit)")] + others
    }

    /// The parameters as JSON Schema.
    static var schemas: JSON {
        [
            "limit": [
                "type": "integer", "minimum": .number(Decimal(limits.lowerBound)),
                "maximum": .number(Decimal(limits.upperBound)), "default": .number(Decimal(defaultLimit)),
            ],
            "after": ["type": "string"], "total": ["type": "integer", "enum": [0, 1], "default": 0],
        ]
    }
}
