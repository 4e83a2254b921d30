/// The beginning of names of spaces. In the order of names, those with it are in a row.
package struct SpacePrefix: Sendable {
    /// The beginning as text.
    package let text: String

    /// The characters that a name can have after the first, in their order.
    private static let characters = Array("-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)

    /// A beginning; nil if no name has it.
    package init?(_ text: String) {
        guard SpaceName(text) != nil else { return nil }
        self.text = text
    }

    /// Returns true if a name begins with it.
    package func begins(_ name: SpaceName) -> Bool { name.description.utf8.starts(with: text.utf8) }

    /// The greatest name before all that have it; nil if there is none.
    package var before: SpaceName? {
        var bytes = Array(text.utf8)
        let last = bytes.removeLast()
        // A name begins with a letter or a digit.
        let choices = bytes.isEmpty ? Self.characters.filter { !"-._".utf8.contains($0) } : Self.characters
        guard let less = choices.last(where: { $0 < last }) else {
            return SpaceName(String(decoding: bytes, as: UTF8.self))
        }
        bytes.append(less)
        bytes += [UInt8](repeating: UInt8(ascii: "z"), count: SpaceName.lengthLimit - bytes.count)
        return SpaceName(String(decoding: bytes, as: UTF8.self))
    }
}
