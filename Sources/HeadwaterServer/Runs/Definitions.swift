import StateStore
import Streams

/// The stream definitions of the spaces of one loop.
final class Definitions {
    /// The view that has all definitions of a space.
    static let view = "streams.definitions"

    private let store: Store
    private let libraries = Libraries()

    init(_ store: Store) {
        self.store = store
    }

    /// Calls `body` with the definitions of a space; or answers why these cannot be read.
    func withLibrary(of space: SpaceName, _ responder: Responder, _ body: @escaping (Library) -> Void) {
        store.read([Self.view], in: space) { [libraries] result in
            guard responder.isOpen else { return }
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let reading):
                do {
                    body(try libraries.library(of: reading.views, in: space))
                } catch {
                    responder.answer(Problem(.viewFailed, "the definitions cannot be read: \(error)"))
                }
            }
        }
    }
}
