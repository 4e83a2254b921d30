import Hosting
import Documents
import Platform
import JSON
import StateStore

/// The feature documents of a directory: the server has these features, and no other documents.
struct FeatureFiles: Sendable {
    private let path: String
    private let library: DocumentLibrary
    private let log: Log
    /// True if a refusal has all faults, one a line; else it has the first.
    private let listsAll: Bool

    init(_ path: String, _ library: DocumentLibrary, _ log: Log, listsAll: Bool = false) {
        (self.path, self.library, self.log, self.listsAll) = (path, library, log, listsAll)
    }

    /// The time that the tests of all documents may take.
    private static let testNanoseconds: Int64 = 10_000_000_000

    /// Reads and checks the documents. Returns the change from those that `common` has: a feature that is not in the
    /// directory goes, and its state stays.
    func change(from present: DeployedDocuments) throws(CommandFault) -> DocumentChange {
        let directory: DocumentDirectory
        do throws(DocumentDirectory.UnreadableDirectory) {
            directory = try DocumentDirectory(path)
        } catch {
            throw CommandFault(error.description, status: 2)
        }
        var documents: [String: JSON] = [:]
        for file in directory.files {
            do throws(DocumentFault) {
                let document = try file.content.get()
                if let fault = ReservedNames.fault(of: file.feature) {
                    throw DocumentFault(fault, at: JSONPointer(["feature"]))
                }
                guard !library.program.isOfProgram(file.feature), Registry.isName(file.feature) else {
                    throw DocumentFault(
                        "\(file.feature) cannot be the name of a document here", at: JSONPointer(["feature"]))
                }
                documents[file.feature] = document
            } catch {
                throw CommandFault("\(path)/\(Self.words(error, in: file))", status: 2)
            }
        }
        let end = MonotonicTime.now + Self.testNanoseconds
        let outcome = DocumentChecks.outcome(
            of: documents, among: documents, beside: present, library, comparesState: true
        ) { MonotonicTime.now < end }
        let faults = Self.faults(of: outcome, directory).map { "\(path)/\(Self.words($0.fault, in: $0.file))" }
        if let first = faults.first {
            throw CommandFault(listsAll ? faults.joined(separator: "\n") : first, status: 2)
        }
        for file in directory.files {
            for warning in outcome.warnings[file.feature] ?? [] {
                log.write(.warning, "a document has a warning", [("place", Self.words(warning, in: file))])
            }
        }
        var changes: [String: JSON?] = [:]
        for name in present.documents.keys { changes.updateValue(Optional<JSON>.none, forKey: name) }
        for (name, document) in documents { changes.updateValue(document, forKey: name) }
        let texts = directory.files.filter { documents[$0.feature] != nil }.map { ($0.feature, $0.commentedText) }
        return DocumentChange(
            changes, migrated: outcome.migrated,
            texts: Dictionary(texts, uniquingKeysWith: { first, _ in first }).compactMapValues { $0 }, to: present)
    }

    /// The faults, each with its file.
    private static func faults(
        of outcome: DocumentChecks.Outcome, _ directory: DocumentDirectory
    ) -> [(file: DocumentDirectory.DocumentFile, fault: DocumentFault)] {
        directory.files.flatMap { file in outcome.faults(of: file.feature).map { (file, $0) } }
    }

    /// A fault with its file, line, column and pointer; with the line itself if the file is not JSON.
    private static func words(_ fault: DocumentFault, in file: DocumentDirectory.DocumentFile) -> String {
        let place = file.places(of: [fault])[0]
        let pointer = fault.pointer.tokens.isEmpty ? "" : "#\(fault.pointer)"
        let line = fault.offset == nil ? "" : ": \(place.text)"
        return "\(file.name):\(place.line):\(place.column)\(pointer): \(fault.detail)\(line)"
    }

    /// Puts the documents before the server starts.
    func deploy(into journal: any Journal, at time: Timestamp) throws(CommandFault) {
        let stored = try Self.attempt { () throws(JournalFailure) in try journal.load(.common) }
        let change = try change(from: DeployedDocuments(of: stored?.facts ?? []))
        guard let commit = change.commit(to: stored, at: time) else { return }
        _ = try Self.attempt { () throws(JournalFailure) in try journal.append(one: commit) }
    }

    private static func attempt<Value>(
        _ body: () throws(JournalFailure) -> Value
    ) throws(CommandFault) -> Value {
        do throws(JournalFailure) {
            return try body()
        } catch {
            throw CommandFault(error.description)
        }
    }
}
