import Hosting
import Documents
import Glibc
import JSON
import StateStore

/// The command `headwater generate`: types for clients, of documents or of a running server.
struct GenerateCommand {
    private enum Language: String, CaseIterable {
        case typescript, python, swift
    }

    private let language: Language
    private let source: String
    private let token: String?

    /// Reads `typescript|python|swift [FILE|DIR|URL]`.
    init(_ words: [String], _ environment: [String: String]) throws(CommandFault) {
        guard let language = words.first.flatMap({ Language(rawValue: $0) }) else {
            let all = Language.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFault("generate takes a language: one of \(all)", status: 2)
        }
        guard words.count <= 2, !(words.dropFirst().first?.hasPrefix("-") ?? false) else {
            throw CommandFault("generate takes one file, directory or URL after the language", status: 2)
        }
        self.language = language
        source = words.dropFirst().first ?? "."
        token = environment["HEADWATER_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Writes the code to standard output.
    func run() throws(CommandFault) {
        let model = TypeModel(try features())
        let text =
            switch language {
            case .typescript: TypeScriptCode(model: model).text
            case .python: PythonCode(model: model).text
            case .swift: SwiftCode(model: model).text
            }
        StandardStreams.print(String(text.reversed().drop { $0 == "\n" }.reversed()))
    }

    /// The features as `GET /v1` lists them.
    private func features() throws(CommandFault) -> [JSON] {
        guard source.hasPrefix("http://") || source.hasPrefix("https://") else { return try featuresOfFiles() }
        guard let (server, path) = ServerAddress.parse(source), ["", "/", "/v1"].contains(path) else {
            throw CommandFault("generate takes a URL such as http://127.0.0.1:8080, not \"\(source)\"", status: 2)
        }
        let (status, content) = try server.content(of: "/v1", token: token)
        guard status == 200, let index = try? JSON(parsing: content), case .array(let features)? = index["features"]
        else { throw CommandFault("\(server)/v1 is answered \(status): HEADWATER_TOKEN is the token") }
        return features
    }

    private func featuresOfFiles() throws(CommandFault) -> [JSON] {
        var status = stat()
        guard stat(source, &status) == 0 else {
            throw CommandFault("there is no file or directory \(source)", status: 2)
        }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        let parent =
            source.contains("/")
            ? source.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") : "."
        let directory: DocumentDirectory
        do throws(DocumentDirectory.UnreadableDirectory) {
            directory = try DocumentDirectory(isDirectory ? source : parent.isEmpty ? "/" : parent)
        } catch {
            throw CommandFault(error.description, status: 2)
        }
        let name = source.split(separator: "/").last.map(String.init) ?? ""
        var deployed: [DeployedFeature] = []
        var wanted: Set<String> = []
        let results = FeatureCompiler().compile(directory.documents, beside: [:], hiding: [:])
        for file in directory.files {
            let isWanted = isDirectory || file.name == name
            switch file.content.mapError({ DocumentFaults([$0]) }).flatMap({ _ in
                results[file.feature] ?? .failure(DocumentFaults([]))
            }) {
            case .success(let description):
                deployed.append(DeployedFeature(description))
                if isWanted { wanted.insert(file.feature) }
            case .failure(let faults) where isWanted:
                throw CommandFault("\(file.name): \(faults.all.first?.detail ?? "the document has a fault")")
            case .failure: break
            }
        }
        guard !wanted.isEmpty else { throw CommandFault("\(source) has no feature document", status: 2) }
        do throws(RegistrationFault) {
            let registry = try Registry([]).describing(deployed)
            return Index(of: registry).features { wanted.contains($0) }
        } catch {
            throw CommandFault("\(error)")
        }
    }
}
