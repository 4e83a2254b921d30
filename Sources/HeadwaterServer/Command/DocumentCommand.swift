import Hosting
import Documents
import JSON
import StateStore

/// The commands `test` and `check-features`: the checks and the tests of a directory's feature documents.
struct DocumentCommand {
    private let program: Program
    private let runsTests: Bool
    private let showsPlan: Bool

    init(_ program: Program, runsTests: Bool, showsPlan: Bool = false) {
        self.program = program
        self.runsTests = runsTests
        self.showsPlan = showsPlan
    }

    /// Writes the report to standard output, and returns the exit status.
    func run(_ path: String, _ environment: [String: String]) -> Int32 {
        let directory: DocumentDirectory
        do throws(DocumentDirectory.UnreadableDirectory) {
            directory = try DocumentDirectory(path)
        } catch {
            return ServerLifecycle.fail(CommandFault(error.description), 2)
        }
        let report = DirectoryReport(
            directory, beside: registry(without: directory), runsTests: runsTests, showsPlan: showsPlan)
        StandardStreams.print(report.text)
        return report.isGood ? 0 : 1
    }

    /// Rehearses the documents of a directory against a running server, and returns the exit status.
    func run(_ path: String, against url: String, _ environment: [String: String]) -> Int32 {
        let status = run(path, environment)
        guard status == 0 else { return status }
        do throws(CommandFault) {
            let server = try RemoteServer(url, environment)
            var isGood = true
            for (name, document) in (try? DocumentDirectory(path).documents.sorted { $0.key < $1.key }) ?? [] {
                let answer = try server.ask("PUT", "/v1/features/\(name)?rehearse=1", body: document.written)
                guard let report = try? JSON(parsing: answer.body) else { throw RemoteServer.fault(of: answer) }
                StandardStreams.print("\(name): \(String(decoding: report.written, as: UTF8.self))")
                let fails = ["failing", "errors", "lost"].contains { report[$0] != nil && report[$0] != [] }
                if answer.status != 200 || fails { isGood = false }
            }
            return isGood ? 0 : 1
        } catch {
            return ServerLifecycle.fail(error)
        }
    }

    /// The features of the program that no document of the directory replaces.
    private func registry(without directory: DocumentDirectory) -> Registry {
        let names = Set(directory.files.map(\.feature))
        let features = program.features([:]).filter { !names.contains($0.name) }
        // A feature that is given one that a document replaces cannot be there beside it.
        for candidates in [features, []] {
            if let registry = try? Registry(candidates) { return registry }
        }
        preconditionFailure("a registry without features has no fault")
    }
}
