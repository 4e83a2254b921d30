internal import Ground

/// The end of a message about an unknown name.
enum Suggestion {
    /// Returns `; did you mean votes?`, or an empty text if no candidate is near.
    static func text(_ name: String, _ candidates: some Sequence<String>) -> String {
        Spelling.nearest(to: name, among: candidates).map { "; did you mean \($0)?" } ?? ""
    }
}
