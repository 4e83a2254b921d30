import Documents
import Ground
import JSON
import StateStore

/// The feature documents of a directory: the server has these features, and no other documents.
struct FeatureFiles: Sendable {
    private let path: String
    private let library: DocumentLibrary

    init(_ path: String, _ library: DocumentLibrary) {
        (self.path, self.library) = (path, library)
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
                throw CommandFault("\(path)/\(file.name)\(Self.place(error)): \(error.detail)", status: 2)
            }
        }
        let end = MonotonicTime.now + Self.testNanoseconds
        let outcome = DocumentChecks.outcome(
            of: documents, among: documents, beside: present, library, comparesState: true
        ) { MonotonicTime.now < end }
        if let (file, fault) = Self.fault(of: outcome, directory) {
            throw CommandFault("\(path)/\(file)\(Self.place(fault)): \(fault.detail)", status: 2)
        }
        var changes: [String: JSON?] = [:]
        for name in present.documents.keys { changes.updateValue(Optional<JSON>.none, forKey: name) }
        for (name, document) in documents { changes.updateValue(document, forKey: name) }
        return DocumentChange(changes, migrated: outcome.migrated, to: present)
    }

    /// The first fault, with the name of its file.
    private static func fault(
        of outcome: DocumentChecks.Outcome, _ directory: DocumentDirectory
    ) -> (file: String, fault: DocumentFault)? {
        for file in directory.files {
            if let fault = outcome.faults(of: file.feature).first { return (file.name, fault) }
        }
        return nil
    }

    private static func place(_ fault: DocumentFault) -> String {
        fault.pointer.tokens.isEmpty ? "" : "#\(fault.pointer)"
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
