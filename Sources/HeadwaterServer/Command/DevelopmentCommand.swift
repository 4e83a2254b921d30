import Documents
import Glibc

/// The command `headwater dev`: a server for one directory with documents and a page, which follows each save.
struct DevelopmentCommand {
    /// The directory.
    let directory: String
    /// The arguments of `serve`.
    let arguments: [String]
    private let starter: Starter

    /// Reads `[DIR] [--starter NAME] [OPTION…]`; options are those of `serve`.
    init(_ words: [String], hasExamples: Bool) throws(CommandFault) {
        var starter = Starter.counter
        var directory: String?
        var rest = words[...]
        var options: [String] = []
        while let word = rest.popFirst() {
            if word == "--starter" || word.hasPrefix("--starter=") {
                let name = word == "--starter" ? rest.popFirst() : String(word.dropFirst("--starter=".count))
                guard let name, let found = Starter(rawValue: name) else {
                    let all = Starter.allCases.map(\.rawValue).joined(separator: ", ")
                    throw CommandFault("--starter takes one of \(all)", status: 2)
                }
                starter = found
            } else if !word.hasPrefix("-"), directory == nil, options.isEmpty {
                directory = word
            } else {
                options.append(word)
            }
        }
        self.starter = starter
        self.directory = directory ?? "."
        func has(_ name: String) -> Bool { options.contains { $0 == "--\(name)" || $0.hasPrefix("--\(name)=") } }
        for name in ["features", "site", "journal"] where has(name) {
            throw CommandFault("dev serves one directory: it takes no --\(name)", status: 2)
        }
        var arguments = ["--features", self.directory, "--site", self.directory]
        if !has("data"), !has("memory") { arguments.append("--memory") }
        if hasExamples, !has("examples") { arguments += ["--examples", "none"] }
        if !has("log-level") { arguments += ["--log-level", "warning"] }
        self.arguments = arguments + options
    }

    /// Makes the directory, and in an empty one the files of the starter.
    func prepare() throws(CommandFault) {
        guard mkdir(directory, 0o777) == 0 || errno == EEXIST else {
            throw CommandFault("\(directory) cannot be made: \(String(cString: strerror(errno)))")
        }
        guard let handle = opendir(directory) else {
            throw CommandFault("\(directory) cannot be read: \(String(cString: strerror(errno)))")
        }
        var isEmpty = true
        while let entry = readdir(handle) {
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { isEmpty = false }
        }
        closedir(handle)
        guard isEmpty else { return }
        try EditorSetup.write(Array(starter.document.utf8), "\(directory)/app.json")
        try EditorSetup.write(Array(starter.page.utf8), "\(directory)/index.html")
        try EditorSetup(directory).setUp()
        StandardStreams.print(
            "made \(directory)/app.json and \(directory)/index.html: change them while the server runs")
    }
}
