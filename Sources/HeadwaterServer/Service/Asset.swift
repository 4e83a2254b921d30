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
