import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// `GET /v1/spaces`: pages, beginnings and parts of names, details.
@Suite struct SpaceListTests {
    private func service(_ names: [String]) throws -> ServiceInProcess {
        let service = try ServiceInProcess()
        for name in names {
            #expect(try service.ask("POST /v1/spaces/\(name)/user/logIn", [:], #"{"name": "Ada"}"#).status == 200)
        }
        return service
    }

    private func names(_ reply: Reply) throws -> [String] {
        guard case .array(let spaces)? = try reply.json["spaces"] else { return [] }
        return spaces.compactMap { if case .string(let name)? = $0["name"] { name } else { nil } }
    }

    /// The names of all pages of a path.
    private func allNames(_ path: String, _ service: ServiceInProcess) throws -> [String] {
        var found: [String] = []
        var next: String? = path
        while let path = next, found.count < 100 {
            let reply = try service.ask("GET \(path)")
            #expect(reply.status == 200, "\(path): \(reply)")
            found += try names(reply)
            next = if case .string(let path)? = try reply.json["next"] { path } else { nil }
        }
        return found
    }

    private static let some = ["Room-1", "a", "room", "room-1", "room-2", "room.x", "rop", "ropes-room", "z"]

    @Test(arguments: [
        ("prefix=room", ["room", "room-1", "room-2", "room.x"]),
        ("prefix=ro", ["room", "room-1", "room-2", "room.x", "rop", "ropes-room"]),
        ("prefix=a", ["a"]), ("prefix=R", ["Room-1"]), ("prefix=0", []), ("prefix=zz", []),
        ("search=ROOM", ["Room-1", "room", "room-1", "room-2", "room.x", "ropes-room"]),
        ("search=-1", ["Room-1", "room-1"]),
        ("prefix=room&search=2", ["room-2"]), ("prefix=&search=", some), ("search=.", ["room.x"]),
    ])
    func `names are found by their beginning and by a part, page by page`(query: String, found: [String]) throws {
        let service = try service(Self.some)
        for limit in [1, 2, 3, 100] {
            #expect(try allNames("/v1/spaces?\(query)&limit=\(limit)", service) == found, "limit \(limit)")
        }
    }

    @Test(arguments: [
        "prefix=-a", "prefix=%2F", "prefix=a%00", "search=%20", "search=%25",
        "search=\(String(repeating: "a", count: 128))",
        "limit=0", "limit=1001", "limit=-1", "limit=1e2", "limit=", "after=%2F",
        "details=1&details=1",
        "prefixes=a",
    ])
    func `parameters that no name has are refused`(query: String) throws {
        let reply = try ServiceInProcess().ask("GET /v1/spaces?\(query)")
        #expect(reply.status == 422, "\(reply)")
    }

    @Test func `details tell the time of the last commit and the size`() throws {
        let service = try service(["a", "b"])
        let second = try service.ask(
            "POST /v1/spaces/b/user/save", [:], #"{"name": "\#(String(repeating: "x", count: 90))"}"#)
        #expect(second.status == 200, "\(second)")
        let plain = try service.ask("GET /v1/spaces").json["spaces"]
        #expect(plain == [["name": "a", "version": 1], ["name": "b", "version": 2]])
        guard case .array(let spaces)? = try service.ask("GET /v1/spaces?details=1").json["spaces"], spaces.count == 2,
            case .number(let small)? = spaces[0]["bytes"], case .number(let large)? = spaces[1]["bytes"]
        else { throw ServiceInProcess.NoAnswer() }
        let changes = try service.ask("GET /v1/spaces/b/changes").json
        guard case .array(let rows) = changes else { throw ServiceInProcess.NoAnswer() }
        #expect(spaces[1]["at"] == rows.last?["at"] && spaces[1]["isWhole"] == true)
        #expect(large.double - small.double > 80 && small.double > 0)
        #expect(try service.ask("GET /v1/spaces?details=0").json["spaces"] == plain)
    }

    @Test func `a page with a beginning reads no other names`() throws {
        let journal = MemoryJournal()
        // More names before the beginning than one page reads.
        let names = (0..<SpacePage.scanLimit + 10).map { "a\($0)" } + ["b1", "b2", "c"]
        _ = try journal.append(names.compactMap { SpaceName($0) }.map(Self.commit))
        var query = SpacePage.Query()
        query.prefix = SpacePrefix("b")
        let token = Token(digest: [], rights: .admin)
        let page = try SpacePage(after: nil, limit: 10, query, of: token, journal)
        #expect(page.spaces.map(\.name.description) == ["b1", "b2"] && page.last == nil)
        // A part of a name needs the scan, which goes on with the next page.
        query = SpacePage.Query()
        query.part = "c"
        let first = try SpacePage(after: nil, limit: 10, query, of: token, journal)
        #expect(first.spaces.isEmpty && first.last != nil)
        let second = try SpacePage(after: first.last, limit: 10, query, of: token, journal)
        #expect(second.spaces.map(\.name.description) == ["c"] && second.last == nil)
    }

    @Test func `a page of large states ends early and goes on`() throws {
        let journal = MemoryJournal()
        let names = (10..<30).map { "s\($0)" }.compactMap { SpaceName($0) }
        let value = [UInt8](repeating: UInt8(ascii: "1"), count: SpaceSummary.bytesLimit)
        _ = try journal.append(
            names.map { name in
                CommitRecord(
                    space: name, version: 1, at: Timestamp(microseconds: 5), action: "a/b", input: nil,
                    facts: [Fact(variable: "a.b", value: value), Fact(variable: "a.c", value: value)])
            })
        var query = SpacePage.Query()
        query.hasDetails = true
        let token = Token(digest: [], rights: .admin)
        var found: [SpaceName] = []
        var after: SpaceName?
        repeat {
            let page = try SpacePage(after: after, limit: 100, query, of: token, journal)
            #expect(page.spaces.count <= SpacePage.detailBytesLimit / SpaceSummary.bytesLimit)
            #expect(page.spaces.allSatisfy { $0.summary?.isWhole == false && $0.summary?.at?.microseconds == 5 })
            found += page.spaces.map(\.name)
            after = page.last
        } while after != nil && found.count < 100
        #expect(found == names)
    }

    private static func commit(of space: SpaceName) -> CommitRecord {
        CommitRecord(
            space: space, version: 1, at: Timestamp(microseconds: 0), action: "a/b", input: nil,
            facts: [Fact(variable: "a.b", value: [0x31])])
    }
}
