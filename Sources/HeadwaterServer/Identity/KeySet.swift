import JSON

/// The usable keys of a JSON Web Key Set (RFC 7517, section 5).
struct KeySet: Sendable {
    /// The greatest number of keys.
    static let keysLimit = 100

    let keys: [VerificationKey]

    /// The greatest length of a key's name in a fault, in characters.
    private static let nameLength = 100

    /// Reads a set. Keys of other kinds are left out, as the standard demands. A set with a weak key, with two keys of
    /// one name, or without a usable key is refused.
    init(_ bytes: [UInt8]) throws(TokenFault) {
        let document: JSON
        do throws(JSONError) {
            document = try JSON(parsing: bytes)
        } catch {
            throw TokenFault("the key set is not JSON: \(error)")
        }
        guard case .array(let members)? = document["keys"] else {
            throw TokenFault("the key set has no array \"keys\"")
        }
        guard members.count <= Self.keysLimit else {
            throw TokenFault("the key set has more than \(Self.keysLimit) keys")
        }
        var keys: [VerificationKey] = []
        for (index, member) in members.enumerated() {
            do throws(TokenFault) {
                guard let key = try VerificationKey(member) else { continue }
                if key.id != nil, keys.contains(where: { $0.id == key.id }) { throw TokenFault("is there twice") }
                keys.append(key)
            } catch {
                throw TokenFault("the key set is refused: \(Self.name(of: member, at: index)) \(error)")
            }
        }
        guard !keys.isEmpty else {
            throw TokenFault("the key set has no usable key: RSA of 2048 bits or more, EC with P-256, or Ed25519")
        }
        self.keys = keys
    }

    /// Returns the name of a key in a sentence, in one line.
    private static func name(of member: JSON, at index: Int) -> String {
        guard case .string(let id)? = member["kid"] else { return "its key \(index + 1), which has no kid," }
        let name = JSON.string(String(id.prefix(nameLength)))
        return "the key with the kid \(String(decoding: name.written, as: UTF8.self))"
    }

    private init(keys: [VerificationKey]) {
        self.keys = keys
    }

    /// The keys that may have signed a token.
    enum Finding {
        case keys([VerificationKey])
        /// The set has no key of this name.
        case unknown
        /// The set has several keys, and the token names none.
        case unnamed
    }

    /// Returns the keys that may have signed a token.
    func find(_ token: JSONWebToken) -> Finding {
        guard let id = token.keyID else { return keys.count == 1 ? .keys(keys) : .unnamed }
        let found = keys.filter { $0.id == id }
        return found.isEmpty ? .unknown : .keys(found)
    }

    /// Returns the set with the keys of an earlier one where they are the same, and withdraws the earlier ones that are
    /// gone. So the accounts of a key that stays are not disturbed.
    func following(_ earlier: KeySet) -> KeySet {
        let next = keys.map { key in
            earlier.keys.first { $0.thumbprint == key.thumbprint && $0.id == key.id } ?? key
        }
        for key in earlier.keys where !next.contains(where: { $0 === key }) { key.validity.withdraw() }
        return KeySet(keys: next)
    }
}
