import Documents
import JSON
import SQLiteJournal
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

    /// Rehearses the documents of a directory against a running server or a data directory, and returns the exit status.
    func run(_ path: String, against target: String, _ environment: [String: String]) -> Int32 {
        let status = run(path, environment)
        guard status == 0 else { return status }
        do throws(CommandFault) {
            let isURL = ["http://", "https://"].contains { target.hasPrefix($0) }
            let directory: DocumentDirectory
            do throws(DocumentDirectory.UnreadableDirectory) {
                directory = try DocumentDirectory(path)
            } catch {
                throw CommandFault(error.description, status: 2)
            }
            let reports =
                try isURL
                ? reports(of: directory.documents, from: try RemoteServer(target, environment))
                : reports(of: directory, in: target)
            var isGood = true
            for (name, report) in reports {
                StandardStreams.print("\(name): \(String(decoding: report.written, as: UTF8.self))")
                let fails = ["failing", "errors", "lost"].contains { report[$0] != nil && report[$0] != [] }
                if fails { isGood = false }
            }
            return isGood ? 0 : 1
        } catch {
            return ServerLifecycle.fail(error, error.status)
        }
    }

    private func reports(
        of documents: [String: JSON], from server: RemoteServer
    ) throws(CommandFault) -> [(name: String, report: JSON)] {
        var reports: [(name: String, report: JSON)] = []
        for (name, document) in documents.sorted(by: { $0.key < $1.key }) {
            reports.append((name, try server.rehearse(name, document)))
        }
        return reports
    }

    /// Rehearses documents against the state of a data directory, which a server may use meanwhile.
    private func reports(
        of directory: DocumentDirectory, in data: String
    ) throws(CommandFault) -> [(name: String, report: JSON)] {
        let library = DocumentLibrary(registry(without: directory), FeatureCompiler())
        let documents = directory.documents
        var looks: [(name: String, found: MigrationRehearsal, lost: LostState, errors: [DocumentFault])] = []
        let key = DigestKey.random()
        do throws(JournalFailure) {
            try SQLiteJournal.eachState(in: data) { space, stored in
                if space == .common || looks.isEmpty {
                    let present = DeployedDocuments(of: space == .common ? stored.facts : [])
                    looks = self.looks(at: documents, beside: present, library)
                }
                for index in looks.indices {
                    looks[index].found.takeReadable(space, stored.facts, key)
                    looks[index].lost.takeReadable(space, stored.facts, key)
                }
            }
        } catch {
            throw CommandFault(error.description)
        }
        if looks.isEmpty { looks = self.looks(at: documents, beside: DeployedDocuments(), library) }
        return looks.map { ($0.name, MigrationRehearsals.report($0.found, $0.lost, $0.errors)) }
    }

    private func looks(
        at documents: [String: JSON], beside present: DeployedDocuments, _ library: DocumentLibrary
    ) -> [(name: String, found: MigrationRehearsal, lost: LostState, errors: [DocumentFault])] {
        let outcome = DocumentChecks.outcome(
            of: documents, among: present.documents.merging(documents) { _, new in new }, beside: present, library,
            comparesState: true, rehearses: true
        ) { false }
        let change = DocumentChange(documents.mapValues { $0 }, migrated: outcome.migrated, to: present)
        return documents.keys.sorted().map { name in
            (
                name, MigrationRehearsal(of: name, change, to: present, library) { _ in true },
                LostState([name: documents[name] ?? .null], in: present),
                (outcome.faults[name] ?? []) + (outcome.faultsOfOthers[name] ?? [])
                    + (outcome.stateFaults[name] ?? [])
            )
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
