import DiskFaults
import Glibc
@testable import SQLiteJournal
import Testing

@Suite struct CheckCommandTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// Serves one commit, and ends the server.
    private func fill(_ directory: String) throws {
        let server = try Service("--data", directory)
        #expect(try server.ask("POST", "/v1/spaces/a/cart/add", #"{"productId": 1}"#).status == 200)
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
    }

    @Test(arguments: [
        ("INSERT OR REPLACE INTO meta VALUES ('first', 9000000000000)", "below the first"),
        ("UPDATE spaces SET name = 'other'", "had another name"),
        ("DELETE FROM runs", "The newest commits of the space a are missing"),
    ])
    func `a journal that was changed by hand is told in words, with exit status 1`(
        _ sql: String, _ words: String
    ) throws {
        try fill(scratch.data)
        try DatabaseConnection(scratch.data + "/journal.sqlite", .writing).execute(sql)
        let ending = try Program.run("check", scratch.data)
        #expect(ending.status == 1 && ending.output.contains(words) && ending.errors == "", "\(ending)")
    }

    @Test func `a journal on a read-only file system is checked and exported`() throws {
        let disk = try FaultyDisk(in: scratch.path)
        try fill(disk.directory)
        try disk.arm(.init(.open, error: EROFS, lasts: true))
        let report = try Program.run("check", disk.directory, environment: disk.environment)
        #expect(report.status == 0 && report.output.contains("1 spaces, 1 commits"), "\(report)")
        let export = try Program.run("export", disk.directory, environment: disk.environment)
        #expect(export.status == 0 && export.output.contains(#""cart/add""#), "\(export)")
    }

    @Test func `a server without requests notices that its directory was removed`() throws {
        let away = scratch.path + "/away"
        let server = try Service("--data", scratch.data)
        #expect(try server.ask("GET", "/readyz").status == 200)
        #expect(rename(scratch.data, away) == 0)
        let deadline = Deadline()
        var status = 200
        while status == 200, deadline.millisecondsLeft > 0 { status = try server.ask("GET", "/readyz").status }
        #expect(status == 503)
    }
}
