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
    /// directory goes, and its state stays. Throws if stored state of the journal would vanish.
    ///
    /// The report has lines only if a refusal has all faults.
    func change(
        from present: DeployedDocuments, in journal: any Journal
    ) throws(CommandFault) -> (change: DocumentChange, report: SaveReport) {
        let (change, unserved, directory) = try checked(from: present, in: journal)
        guard let first = unserved.first else {
            guard listsAll else { return (change, SaveReport()) }
            return (change, try report(of: change, directory, from: present, in: journal))
        }
        guard listsAll else { throw CommandFault(first.reason, status: 2) }
        var lost = LostState(directory.documents, in: present)
        try Self.attempt { () throws(JournalFailure) in try lost.takeAll(in: journal) }
        var report = SaveReport()
        report.add(lost)
        throw CommandFault((unserved.map(\.reason) + report.lines).joined(separator: "\n"), status: 2)
    }

    /// Returns the plan of the queries that a change adds, and what becomes of the stored rows.
    private func report(
        of change: DocumentChange, _ directory: DocumentDirectory, from present: DeployedDocuments,
        in journal: any Journal
    ) throws(CommandFault) -> SaveReport {
        var report = SaveReport()
        let documents = change.documents.compactMapValues { $0 }
        let (before, after) = (library.compile(present.documents), library.compile(documents))
        func plan(_ result: Result<any FeatureDescription, DocumentFaults>?) -> [JSON] {
            if case .success(let description)? = result { description.plan } else { [] }
        }
        for file in directory.files where documents[file.feature] != present[file.feature] {
            report.add(plan: plan(after[file.feature]), before: plan(before[file.feature])) { pointer in
                let place = file.places(of: [DocumentFault("", at: pointer)])[0]
                return "\(path)/\(file.name):\(place.line):\(place.column)"
            }
        }
        let moving = documents.filter { name, document in
            guard let old = present.last(name) else { return false }
            return ["state", "types", "define", "drops"].contains { document[$0] != old[$0] }
        }
        guard !moving.isEmpty else { return report }
        var found = MigrationRehearsal(change, to: present, library) { _ in true }
        // The rows of what the documents drop are lost as those of what they leave out.
        var dropped = LostState(moving.mapValues(Self.withoutDrops), in: present)
        try Self.attempt { () throws(JournalFailure) in
            try found.takeAll(in: journal)
            try dropped.takeAll(in: journal)
        }
        report.add(found)
        report.add(dropped)
        return report
    }

    private static func withoutDrops(_ document: JSON) -> JSON {
        guard case .object(var members) = document else { return document }
        members["drops"] = nil
        return .object(members)
    }

    /// Reads and checks the documents. Returns the change to those by which no stored state of the journal would vanish,
    /// and the others.
    private func checked(
        from present: DeployedDocuments, in journal: any Journal
    ) throws(CommandFault) -> (change: DocumentChange, unserved: [UnservedDocument], directory: DocumentDirectory) {
        let directory: DocumentDirectory
        do throws(DocumentDirectory.UnreadableDirectory) {
            directory = try DocumentDirectory(path)
        } catch {
            throw CommandFault(error.description, status: 2)
        }
        var documents = try readDocuments(of: directory)
        let end = MonotonicTime.now + Self.testNanoseconds
        let outcome = DocumentChecks.outcome(
            of: documents, among: documents, beside: present, library, comparesState: true
        ) { MonotonicTime.now < end }
        let faults = Self.faults(of: outcome, directory).map { "\(path)/\(Self.words($0.fault, in: $0.file))" }
        if let first = faults.first {
            guard listsAll else { throw CommandFault(first, status: 2) }
            let rows = try rows(of: documents, outcome, beside: present, in: journal)
            throw CommandFault((faults + rows.lines).joined(separator: "\n"), status: 2)
        }
        for file in directory.files {
            for warning in outcome.warnings[file.feature] ?? [] {
                log.write(.warning, "a document has a warning", [("place", Self.words(warning, in: file))])
            }
        }
        let unserved = try Self.attempt { () throws(JournalFailure) in
            try self.unserved(documents, directory, beside: present, in: journal)
        }
        for document in unserved { documents[document.feature] = nil }
        var changes: [String: JSON?] = [:]
        for name in present.documents.keys { changes.updateValue(Optional<JSON>.none, forKey: name) }
        for (name, document) in documents { changes.updateValue(document, forKey: name) }
        let texts = directory.files.filter { documents[$0.feature] != nil }.map { ($0.feature, $0.commentedText) }
        let change = DocumentChange(
            changes, migrated: outcome.migrated.filter { documents[$0.key] != nil },
            texts: Dictionary(texts, uniquingKeysWith: { first, _ in first }).compactMapValues { $0 }, to: present)
        return (change, unserved, directory)
    }

    /// Returns the documents of the files by their features.
    private func readDocuments(of directory: DocumentDirectory) throws(CommandFault) -> [String: JSON] {
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
        return documents
    }

    /// Returns the stored rows that documents do not fit, if their schemas are narrower than those of the present ones.
    private func rows(
        of documents: [String: JSON], _ outcome: DocumentChecks.Outcome, beside present: DeployedDocuments,
        in journal: any Journal
    ) throws(CommandFault) -> SaveReport {
        var report = SaveReport()
        guard !outcome.stateFaults.isEmpty else { return report }
        let change = DocumentChange(documents.mapValues { $0 }, migrated: outcome.migrated, to: present)
        var found = MigrationRehearsal(change, to: present, library) { _ in true }
        try Self.attempt { () throws(JournalFailure) in try found.takeAll(in: journal) }
        report.add(found)
        if report.lines.isEmpty { report.addFit() }
        return report
    }

    /// Returns the documents by which stored state would vanish, and those that are given one of them.
    private func unserved(
        _ documents: [String: JSON], _ directory: DocumentDirectory, beside present: DeployedDocuments,
        in journal: any Journal
    ) throws(JournalFailure) -> [UnservedDocument] {
        var found = LostState(documents, in: present)
        guard !found.isEmpty else { return [] }
        try found.takeAll(in: journal)
        var unserved: [UnservedDocument] = []
        for file in directory.files {
            let reasons = found.lost.filter { $0.feature == file.feature }.map { part in
                "\(path)/\(Self.words(DocumentFault(part.words, at: JSONPointer(["drops"])), in: file))"
            }
            guard !reasons.isEmpty else { continue }
            unserved.append(UnservedDocument(feature: file.feature, reason: reasons.joined(separator: "\n")))
        }
        while let (user, given) = Self.user(of: unserved.map(\.feature), among: documents) {
            unserved.append(
                UnservedDocument(feature: user, reason: "\(user) is given \(given), which is not served"))
        }
        return unserved
    }

    /// Returns a document that is given one of some features and is not one of them, with that feature; nil for none.
    private static func user(
        of features: [String], among documents: [String: JSON]
    ) -> (user: String, given: String)? {
        for (name, document) in documents.sorted(by: { $0.key < $1.key }) where !features.contains(name) {
            guard case .array(let given)? = document["given"] else { continue }
            for feature in features where given.contains(.string(feature)) { return (name, feature) }
        }
        return nil
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

    /// Puts the documents before the server starts, unless `common` is damaged. Returns those that are not served.
    func deploy(into journal: any Journal, at time: Timestamp) throws(CommandFault) -> [UnservedDocument] {
        let stored: StoredSpace?
        do throws(JournalFailure) {
            stored = try journal.load(.common)
        } catch {
            guard error.kind == .damaged else { throw CommandFault(error.description) }
            // The server serves no state then, so it needs no documents.
            log.write(.error, "the documents are not read", [("reason", error.description)])
            return []
        }
        let present = DeployedDocuments(of: stored?.facts ?? [])
        let (change, unserved, _) = try checked(from: present, in: journal)
        for document in unserved {
            log.write(.error, "a document is not served", [("feature", document.feature), ("reason", document.reason)])
        }
        guard let commit = change.commit(to: stored, at: time) else { return unserved }
        _ = try Self.attempt { () throws(JournalFailure) in try journal.append(one: commit) }
        return unserved
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
