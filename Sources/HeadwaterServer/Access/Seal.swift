import StateStore

/// Encryption with keys that follow from the key of the journal, so each process on the journal can read what another one
/// has sealed.
///
/// The construction is that of SIV (RFC 5297): the code of the content is its seal and the beginning of its mask. Equal
/// contents have equal texts.
struct Seal: Sendable {
    private static let codeBytes = 16

    private let codeKey: [UInt8]
    private let maskKey: [UInt8]

    /// A seal for one use.
    init(of use: String, _ key: DigestKey) {
        let secret = [key.first, key.second].flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
        codeKey = HMAC.code(Array("headwater \(use) seal".utf8), key: secret)
        maskKey = Array(HMAC.code(Array("headwater \(use) mask".utf8), key: secret).prefix(16))
    }

    /// Returns the code of some bytes and the encrypted bytes.
    func sealed(_ content: [UInt8]) -> [UInt8] {
        let code = code(content)
        return code + masked(content, code)
    }

    /// Returns the bytes that were sealed; nil if this journal's seal was not on them.
    func opened(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > Self.codeBytes else { return nil }
        let code = Array(bytes[..<Self.codeBytes])
        let content = masked(Array(bytes[Self.codeBytes...]), code)
        return ConstantTime.areEqual(self.code(content), code) ? content : nil
    }

    /// Returns a code that only this journal's processes can compute.
    func code(_ content: [UInt8]) -> [UInt8] { Array(HMAC.code(content, key: codeKey).prefix(Self.codeBytes)) }

    private func masked(_ content: [UInt8], _ code: [UInt8]) -> [UInt8] {
        Keystream.applied(to: content, key: maskKey, nonce: code)
    }
}
