import HTTP
import StateStore

/// Something that is served as it is.
struct Asset: Sendable {
    let type: StaticString
    let bytes: [UInt8]
    let tag: String
    /// More header fields.
    let fields: [(StaticString, String)]

    init(_ type: StaticString, _ bytes: [UInt8], fields: [(StaticString, String)] = []) {
        self.type = type
        self.bytes = bytes
        self.fields = fields
        tag = Digest(bytes).tag
    }
}

extension Asset {
    /// Answers with the file, or 304 if the client has it.
    func answer(_ request: borrowing Request, _ responder: Responder) {
        let isKnown = request.field(.ifNoneMatch).flatMap { EntityTags($0) }?.matches(tag) ?? false
        responder.answer(Status(isKnown ? 304 : 200), isKnown ? nil : type, isKnown ? [] : bytes) { writer in
            writer.field("ETag", "\"\(tag)\"")
            writer.field("Cache-Control", "no-cache")
            for (name, value) in fields { writer.field(name, value) }
        }
    }
}
