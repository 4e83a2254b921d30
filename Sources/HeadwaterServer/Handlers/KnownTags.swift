import HTTP

/// The tags of a conditional request.
enum KnownTags {
    /// The request names no tags.
    case none
    case tags(EntityTags)

    /// Tags that a parameter names.
    init(_ tags: EntityTags) {
        self = .tags(tags)
    }

    /// Reads a field. If it cannot be read, answers 400 and returns nil.
    init?(of request: borrowing Request, _ name: KnownField, _ responder: borrowing Responder) {
        guard let value = request.field(name) else {
            self = .none
            return
        }
        guard let tags = EntityTags(value) else {
            let field = name == .ifMatch ? "If-Match" : "If-None-Match"
            responder.answer(Problem(.badRequest, "\(field) holds tags in quotation marks, separated by commas, or *"))
            return nil
        }
        self = .tags(tags)
    }

    var tags: EntityTags? { if case .tags(let tags) = self { tags } else { nil } }
}
