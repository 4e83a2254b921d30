package import StateStore

/// A closure that performs a call of another node's effect or handler in a space of this node.
package typealias OwnCallPerformer =
    @Sendable (Call, SpaceName, @escaping @Sendable (Result<Answer, Refusal>) -> Void) -> Void

/// The binary form of a call that another node performs: an action of this server, such as that of an effect.
struct ForwardedCall {
    let space: SpaceName
    let call: Call

    /// The format that this program writes, and the only one that it reads.
    private static let format: UInt8 = 1

    /// Returns the bytes of a call with a key. It has neither views nor a condition.
    static func bytes(of call: Call, key: String, in space: SpaceName) -> [UInt8] {
        var writer = EntryWriter()
        writer.byte(format)
        writer.text(space.description)
        writer.text(call.feature)
        writer.text(call.action)
        writer.byte(call.caller.isServer ? 1 : 0)
        writer.text(call.by)
        writer.text(key)
        writer.byte(call.input == nil ? 0 : 1)
        writer.bytes(call.input ?? [])
        return writer.bytes
    }

    /// Reads a call.
    init(_ bytes: [UInt8]) throws(EntryFault) {
        var reader = EntryReader(bytes)
        let format = try reader.byte()
        guard format == Self.format else { throw .unknownFormat(format) }
        guard let space = SpaceName(try reader.text()) else { throw .malformed }
        let (feature, action) = (try reader.text(), try reader.text())
        let isServer = try reader.byte() == 1
        let by = try reader.text()
        let key = try reader.text()
        let hasInput = try reader.byte() == 1
        let input = try reader.bytes()
        guard reader.isAtEnd else { throw .malformed }
        self.space = space
        let named = Call(feature: feature, action: action, input: hasInput ? input : nil, key: key, by: by)
        call = isServer ? named.byEffect : named
    }
}
