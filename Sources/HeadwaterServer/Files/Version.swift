import CAssets

/// The version of the program.
enum Version {
    static let text = "0.3.0-dev"
    /// The git commit that the program was built from, or "unknown".
    static var commit: String { String(cString: build_commit) }
}
