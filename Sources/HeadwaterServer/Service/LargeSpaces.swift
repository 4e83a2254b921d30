import Glibc
import Platform
import StateStore

/// The file with the names of the large spaces of a data directory, so that the next start knows them before it loads
/// them. It is a hint: a name too many or too few changes the thread that serves a space.
final class LargeSpaces: Sendable {
    private let path: String
    private let placement: SpacePlacement
    private let saved: Lock<Set<SpaceName>>

    /// The names of a directory, and the placement of its spaces among `count` loops and one for large spaces.
    init(_ directory: String, among count: Int) {
        path = "\(directory)/large"
        let text = (try? TextFile.read(path)) ?? ""
        let known = Set(text.split(separator: "\n").compactMap { SpaceName(String($0)) })
        placement = SpacePlacement(among: count + 1, hasLargeStore: true, known: known)
        saved = Lock(known)
    }

    /// The placement of the spaces.
    var spaces: SpacePlacement { placement }

    /// Writes the names if there are new ones.
    func save() {
        let names = placement.largeSpaces
        guard saved.with({ $0 != names }) else { return }
        let text = names.map { "\($0)\n" }.sorted().joined()
        let draft = "\(path).new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let isWritten = StandardStreams.write(Array(text.utf8), to: descriptor)
        close(descriptor)
        if isWritten, rename(draft, path) == 0 { saved.with { $0 = names } }
    }
}
