import Documents
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
