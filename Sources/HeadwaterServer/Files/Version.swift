import CAssets

/// The version of the program.
enum Version {
    static let text = "0.4.0-dev"
    /// The git commit that the program was built from, or "unknown".
    static var commit: String { String(cString: build_commit) }

    /// The line that `--version` prints: the program, unless it is `headwater` itself, the version and the commit.
    static var line: String {
        let server = "headwater \(text) (\(commit))"
        return ProgramName.text == "headwater" ? server : "\(ProgramName.text) on \(server)"
    }
}
