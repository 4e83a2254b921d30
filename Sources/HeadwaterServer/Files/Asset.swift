import HTTP
import StateStore

/// Something that is served as it is.
struct Asset: Sendable {
    let type: StaticString
    let content: SharedContent
    let tag: String
    /// More header fields.
    let fields: [(StaticString, String)]
    /// True if other content has another name, so that a client need not ask again.
    let isImmutable: Bool
    var bytes: [UInt8] { content.bytes }

    init(
        _ type: StaticString, _ bytes: [UInt8], gzip: [UInt8]? = nil, brotli: [UInt8]? = nil,
        fields: [(StaticString, String)] = [], isImmutable: Bool = false
    ) {
        self.isImmutable = isImmutable
        self.type = type
        content = SharedContent(bytes, gzip: gzip, brotli: brotli)
        self.fields = fields
        tag = Digest(bytes).tag
    }
}

extension Asset {
    /// Answers with the file, or 304 if the client has it.
    func answer(_ request: borrowing Request, _ responder: Responder) {
        answer(known: request.field(.ifNoneMatch), responder)
    }

    /// Answers with the file, or 304 if its tag is among the `known` ones of `If-None-Match`. The tag is that of the
    /// content in every coding.
    func answer(
        known: String?, takesBrotli: Bool = false, _ responder: Responder,
        _ others: (inout FieldWriter) -> Void = { _ in }
    ) {
        let isKnown = known.flatMap { EntityTags($0) }?.matches(tag) ?? false
        func more(_ writer: inout FieldWriter) {
            writer.field("ETag", "\"\(tag)\"")
            writer.field("Cache-Control", isImmutable ? "public, max-age=31536000, immutable" : "no-cache")
            for (name, value) in fields { writer.field(name, value) }
            others(&writer)
        }
        if isKnown {
            responder.answer(Status(304), nil, [], more)
        } else {
            responder.answer(type, content, takesBrotli: takesBrotli, more)
        }
    }
}
