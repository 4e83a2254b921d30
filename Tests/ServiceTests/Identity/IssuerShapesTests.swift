import Foundation
import JSON
import ServiceInProcess
import Testing

/// The claims of Keycloak, Auth0 and Firebase, and the options that docs/identity.md gives for them.
@Suite struct IssuerShapesTests {
    private static let document = Result {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/identity.md"), encoding: .utf8)
    }

    struct Missing: Error {}

    /// Returns the blocks of code of a section.
    private func blocks(_ section: String) throws -> [String] {
        let text = try Self.document.get()
        guard let start = text.firstRange(of: "\n### \(section)\n") else { throw Missing() }
        let rest = text[start.upperBound...]
        let end = rest.firstRange(of: "\n## ")?.lowerBound ?? rest.endIndex
        let own = rest[..<(rest.firstRange(of: "\n### ").map { min($0.lowerBound, end) } ?? end)]
        return own.split(separator: "```", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    @Test(arguments: [
        ("Keycloak", ["docs-1": 200, "shop": 200, "x": 200], "resource_access"),
        ("Auth0", ["docs-1": 200, "team-1": 403, "x": 403], "permissions"),
        ("Firebase", ["room-1": 200, "x": 403], "email_verified moderator"),
    ])
    func `the claims of an issuer get the rights that its grants say`(
        _ name: String, _ actions: [String: Int], _ claim: String
    ) throws {
        let blocks = try blocks(name)
        let issuer = try TokenIssuer()
        var arguments: [String] = []
        for line in blocks[1].split(separator: "\n") where line.hasPrefix("--") {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            let value = parts[1].hasPrefix("\"") ? String(parts[1].dropFirst().dropLast()) : parts[1]
            arguments += [
                parts[0], parts[0] == "--jwks" ? try issuer.write("keys", TokenIssuer.keySet([.rsa])) : value,
            ]
        }
        let service = try ServiceInProcess(arguments: arguments)
        let json = blocks[0].drop { $0 != "{" }
        func status(_ space: String, _ claims: String) throws -> Int {
            let token = try TokenIssuer.token(claims, .rsa)
            return try service.ask(
                "POST /v1/spaces/\(space)/user/logIn", ["Authorization": "Bearer \(token)"], #"{"name": "Ada"}"#
            ).status
        }
        for (space, expected) in actions { #expect(try status(space, String(json)) == expected, "\(space)") }
        guard case .object(var claims) = try JSON(parsing: Array(json.utf8)) else { throw Missing() }
        for one in claim.split(separator: " ") { claims[String(one)] = nil }
        // Without these claims, a grant is lost in one space at least, and none is won.
        let others = try actions.keys.map { space in
            (
                before: actions[space],
                after: try status(space, String(decoding: JSON.object(claims).json(), as: UTF8.self))
            )
        }
        #expect(others.contains { $0.before == 200 && $0.after == 403 }, "\(name) \(others)")
        #expect(others.allSatisfy { $0.after == 403 || $0.before == 200 }, "\(name) \(others)")
        claims["aud"] = "another"
        for space in actions.keys {
            #expect(try status(space, String(decoding: JSON.object(claims).json(), as: UTF8.self)) == 401)
        }
    }
}
