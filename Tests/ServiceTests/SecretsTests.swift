import Ground
import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// Names and values that a client must not see do not occur in its answers.
@Suite struct SecretsTests {
    /// The token `secret`, for `alice-*`.
    private static let tokens = """
        2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b admin alice-*
        """

    @Test func `a token sees the names of all spaces that it covers, and no others`() throws {
        let service = try ServiceInProcess(
            tokenFile: Self.tokens
                + "\n\(SHA256.digest("root".utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()) admin"
        )
        func ask(_ line: String, _ token: String, _ body: String = "") throws -> Reply {
            try service.ask(line, ["Authorization": "Bearer \(token)"], body)
        }
        let covered = (0..<5).map { "alice-\($0)" }
        for name in covered + (0..<5).map({ "alice\($0)secret" }) + ["bob-secret", "zoe-secret"] {
            #expect(try ask("POST /v1/spaces/\(name)/user/logIn", "root", #"{"name": "Ada"}"#).status == 200)
        }
        for limit in 1...7 {
            var found: [String] = []
            var next: String? = "/v1/spaces?limit=\(limit)"
            var pages = 0
            while let path = next, pages < 20 {
                let reply = try ask("GET \(path)", "secret")
                #expect(reply.status == 200 && !reply.body.contains("secret"), "\(reply)")
                guard case .array(let spaces)? = try reply.json["spaces"] else { break }
                for space in spaces { if case .string(let name)? = space["name"] { found.append(name) } }
                next = if case .string(let path)? = try reply.json["next"] { path } else { nil }
                pages += 1
            }
            #expect(found == covered && pages < 20, "limit \(limit)")
        }
    }

    @Test func `a cursor in a list of uncovered names works and shows no name`() throws {
        let cursors = Cursors()
        for name in ["a", String(repeating: "x", count: 128), "bob.secret_1-"] {
            let space = try #require(SpaceName(name))
            let text = cursors.text(of: space)
            #expect(!text.contains(name) || name == "a")
            #expect(cursors.name(of: text) == space && Cursors().name(of: text) != space)
        }
        for text in ["", "~", "~zz", "~0011223344556677", "a", "~" + String(repeating: "0", count: 600)] {
            #expect(cursors.name(of: text) == nil, "\(text)")
        }
        let journal = MemoryJournal()
        let names = (10_000..<22_500).map { "space-\($0)" }
        for name in names {
            let space = try #require(SpaceName(name))
            _ = try journal.append([
                CommitRecord(
                    space: space, version: 1, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
                    facts: [Fact(variable: "a", value: [0x31])])
            ])
        }
        let token = Token(digest: [], rights: .admin, patterns: [try SpacePattern("*-22499")])
        let first = try SpacePage(after: nil, limit: 10, of: token, journal)
        #expect(first.spaces.isEmpty && first.last?.description == "space-19999")
        let second = try SpacePage(after: first.last, limit: 10, of: token, journal)
        #expect(second.spaces.map(\.name.description) == ["space-22499"] && second.last == nil)
    }

    @Test func `a journal failure is reported without its path`() {
        for kind in [JournalFailure.Kind.cannotWrite, .locked, .damaged, .newer, .unusable] {
            let problem = Problem(JournalFailure(kind, "the disk of /srv/private/journal is full."))
            #expect(
                !String(decoding: problem.bytes, as: UTF8.self).contains("private")
                    && problem.reason?.contains("private") == true)
        }
    }

    @Test(arguments: [
        ("http://user:pass@host:1/path?key=pass", "http://host:1/path"), ("https://user@host", "https://host"),
        ("https://user:p@ss@host/a@b", "https://host/a@b"), ("http://host/a@b#pass", "http://host/a@b"),
        ("pass", "pass"),
    ])
    func `an address is reported without user, password and query`(_ url: String, _ told: String) {
        #expect(OutgoingRequest("GET", url, target: "test").place == told)
    }
}
