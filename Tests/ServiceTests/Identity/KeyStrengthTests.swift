import Platform
import ScriptedOutside
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// Keys that are refused when they are loaded.
@Suite struct KeyStrengthTests {
    private let issuer: TokenIssuer

    init() throws {
        issuer = try TokenIssuer()
        try #require(LibCrypto.isAvailable)
    }

    /// A modulus of two primes that are made in the way of the faulty library. This project has made it.
    private static let faulty =
        "yOdjlc99XCAcWuO-52tLpLTT0vL_XnKXABaB7nK8Osq4k49FiVX56z78-HprW4UoSELYp2hbB_GYIUOhXGVx3hhYxaGI"
        + "iB9gWVtB9haQvRoXQV8J0znE8oe7bOdeipheiJwf2-C5BzOrr_6mMLVaR44cWo5TsIE8l-EtI3c_y94R6lkwy9yPhz-L"
        + "cwVrVAwKvVDOsz6IlX_G0J0UkoQrWYG27ubjWrwiHGDa1hGHgrwC1YGz_1rUpYp-KCXKin-2IFJNK8aQvODiy4fIjZw1"
        + "N3KaoIQtnSP0O3LesozUXYEy_GHQ-o6SlNBGapVce9vn4fn0DXgVbWOT6Cxm6dS9cw"

    private static func rsa(_ modulus: String, _ more: String = "\"kid\":\"old\"", exponent: String = "AQAB") -> String
    {
        "{\"kty\":\"RSA\",\"n\":\"\(modulus)\",\"e\":\"\(exponent)\",\(more)}"
    }

    /// An odd modulus of so many bits.
    private static func modulus(bits: Int) -> String {
        var bytes = [UInt8](repeating: 0xA7, count: (bits + 7) / 8)
        bytes[0] = 1 << UInt8((bits + 7) % 8)
        return Base64URL.text(bytes)
    }

    /// Returns the fault of a set of some keys and a good one; nil without a fault.
    private func fault(of keys: String...) -> String? {
        let set = "{\"keys\":[{\"kid\":\"good\",\(TokenIssuer.Key.ec.members)},\(keys.joined(separator: ","))]}"
        do throws(TokenFault) {
            #expect(try KeySet(Array(set.utf8)).keys.contains { $0.id == "good" })
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [(512, true), (1_024, true), (2_047, true), (2_048, false), (2_049, false), (8_192, false)])
    func `a key set with an RSA key of fewer than 2048 bits is refused`(_ bits: Int, _ isWeak: Bool) {
        let fault = fault(of: Self.rsa(Self.modulus(bits: bits)))
        #expect(
            fault
                == (isWeak
                    ? "the key set is refused: the key with the kid \"old\" has \(bits) bits, and RS256 needs 2048 or more"
                    : nil))
    }

    @Test func `a key set with a key of the fault ROCA is refused, and one with its neighbours is not`() throws {
        let fault = try #require(self.fault(of: Self.rsa(Self.faulty, "\"use\":\"sig\"")))
        #expect(fault.contains("ROCA") && fault.contains("its key 2, which has no kid"))
        let bytes = try #require(Base64URL.bytes(Self.faulty))
        #expect(RSAWeakness.hasFingerprintOfROCA(bytes))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x10
            #expect(!RSAWeakness.hasFingerprintOfROCA(other), "byte \(index)")
        }
        // 1 and 65537 are powers of 65537 modulo each prime, and 2 is none modulo 11.
        #expect(RSAWeakness.hasFingerprintOfROCA([1]) && RSAWeakness.hasFingerprintOfROCA([1, 0, 1]))
        #expect(!RSAWeakness.hasFingerprintOfROCA([2]) && !RSAWeakness.hasFingerprintOfROCA([0]))
    }

    @Test func `a key with the exponent 1 is refused`() {
        #expect(fault(of: Self.rsa(Self.modulus(bits: 2_048), exponent: "AQ"))?.contains("exponent 1") == true)
    }

    /// The bytes of a number of hexadecimal digits, its greatest first.
    private static func bytes(_ digits: String) -> [UInt8] {
        stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(digits.dropFirst($0).prefix(2), radix: 16)
        }
    }

    /// The second coordinates of the eight points of small order, as this project has computed them.
    private static let smallCoordinates = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000001",
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec",
        "05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826",
        "7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7",
    ]
    /// Numbers that are no coordinate in its one form.
    private static let otherForms = [
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffee",
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ]

    // Law ID1
    @Test(arguments: smallCoordinates + otherForms, [false, true])
    func `an Ed25519 key of small order, or in another form, is refused`(_ digits: String, _ hasSign: Bool) {
        var key = Array(Self.bytes(digits).reversed())
        if hasSign { key[31] |= 0x80 }
        let words = Self.otherForms.contains(digits) ? "not in its one form" : "small order"
        let member = "{\"kid\":\"old\",\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(Base64URL.text(key))\"}"
        #expect(fault(of: member)?.contains(words) == true, "\(digits)")
        // Its neighbour is not refused for this.
        key[0] ^= 0x10
        #expect(Ed25519Weakness.reason(key)?.contains("small order") != true)
    }

    // Law ID1
    @Test func `an RSA key with an even or a prime modulus is refused`() throws {
        var even = try #require(Base64URL.bytes(Self.modulus(bits: 2_048)))
        even[even.count - 1] ^= 1
        #expect(fault(of: Self.rsa(Base64URL.text(even)))?.contains("even modulus") == true)
        // 2^2203 - 1 and 2^4253 - 1 are prime, and 2^2207 - 1 is not.
        for (bits, isPrime) in [(2_203, true), (4_253, true), (2_207, false)] {
            let ones = [UInt8((1 << (bits % 8)) - 1)] + [UInt8](repeating: 0xFF, count: bits / 8)
            #expect(
                (fault(of: Self.rsa(Base64URL.text(ones)))?.contains("prime modulus") == true) == isPrime, "\(bits)")
        }
    }

    @Test func `a key set with two keys of one name is refused`() {
        let key = "{\"kid\":\"a\",\(TokenIssuer.Key.rsa.members)}"
        let twice = "the key set is refused: the key with the kid \"a\" is there twice"
        #expect(fault(of: key, key) == twice)
        #expect(fault(of: key, "{\"kid\":\"a\",\(TokenIssuer.Key.ed.members)}") == twice)
        #expect(fault(of: key, "{\"kid\":\"A\",\(TokenIssuer.Key.ed.members)}") == nil)
        // Keys without a name have none in common, and keys that are left out have no part in the set.
        #expect(fault(of: "{\(TokenIssuer.Key.rsa.members)}", "{\(TokenIssuer.Key.ed.members)}") == nil)
        #expect(fault(of: key, "{\"kid\":\"a\",\"use\":\"enc\",\(TokenIssuer.Key.rsa.members)}") == nil)
        #expect(fault(of: key, "{\"kid\":\"a\",\"kty\":\"oct\",\"k\":\"AAAA\"}") == nil)
    }

    @Test(arguments: [
        #""use":"enc""#, #""alg":"PS256""#, #""alg":"RS512""#, #""key_ops":["encrypt"]"#, #""kid":7"#,
        #""use":"sig","alg":"RSA-OAEP""#,
    ])
    func `a weak key that no token of the server can name is left out`(_ member: String) {
        for modulus in [Self.modulus(bits: 1_024), Self.faulty] { #expect(fault(of: Self.rsa(modulus, member)) == nil) }
    }

    @Test func `a fault names a key in one short line`() throws {
        let id = String(repeating: "x", count: 5_000)
        for name in ["a\\nb\\u001b", id, ""] {
            let fault = try #require(self.fault(of: Self.rsa(Self.modulus(bits: 1_024), "\"kid\":\"\(name)\"")))
            #expect(fault.utf8.count < 300 && fault.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(fault)")
        }
    }

    @Test func `a fetched set that is refused leaves the last one, and is reported`() throws {
        let fetcher = ScriptedFetcher()
        let url = "https://issuer.example/keys"
        let source = KeySource(url, fetcher) { 0 }
        let reasons = Lock<[String]>([])
        source.begin { outcome in
            if case .failed(let reason) = outcome { reasons.with { $0.append(reason) } }
        }
        fetcher.answer(url, TokenIssuer.keySet([.ec]))
        let key = Self.rsa(Self.modulus(bits: 1_024))
        for keys in ["\(key)", "{\(TokenIssuer.Key.ec.members)},\(key)"] {
            source.fetch()
            fetcher.answer(url, "{\"keys\":[\(keys)]}")
        }
        let told = reasons.with { $0 }
        #expect(told.count == 2 && told.allSatisfy { $0.contains("\"old\" has 1024 bits") })
        let token = try JSONWebToken(try TokenIssuer.token(TokenIssuer.claims(until: 1)))
        guard case .keys(let keys) = source.find(token) else { throw ServiceInProcess.NoAnswer() }
        #expect(keys.map(\.id) == ["ec"])
    }

    @Test(arguments: [
        ("", 0), ("\n", 0), ("0123456789012345678901234567890", 31), ("0123456789012345678901234567890\n", 31),
        ("0123456789012345678901234567890\r\n", 31), ("0123456789012345678901234567890 \n", nil),
        ("01234567890123456789012345678901", nil), ("01234567890123456789012345678901\r\n", nil),
        ("0123456789012345678901234567890\r", nil), ("012345678901234567890123456789\n\n", 31),
        ("é0123456789012345678901234567", 30), ("é012345678901234567890123456789", nil),
    ])
    func `a secret of fewer than 32 bytes is refused`(_ text: String, _ bytes: Int?) throws {
        let file = try issuer.write("short", text)
        let settings = IdentitySettings(secretFile: file)
        guard let bytes else { return try settings.check() }
        do throws(CommandFault) {
            try settings.check()
            Issue.record("a secret of \(bytes) bytes was taken")
        } catch {
            #expect("\(error)".contains("\(file) has \(bytes) bytes") && "\(error)".contains("needs 32 or more"))
        }
    }
}
