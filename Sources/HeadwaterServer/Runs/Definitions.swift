import Hosting
import StateStore
import Streams

/// The stream definitions of the spaces of one loop.
final class Definitions {
    /// The view that has all definitions of a space.
    static let view: ViewKey = "streams.definitions"

    let store: Store

    init(_ store: Store) {
        self.store = store
    }

    /// The moment that the definitions of a space show.
    func moment(of space: SpaceName) -> Moment { store.shown(of: space) ?? .beginning }

    /// Calls `body` with the definitions of a space; or answers why these cannot be read.
    /// `reader` is the account of the request, or the server itself.
    func withLibrary(
        of space: SpaceName, _ responder: Responder, as reader: Reader? = nil,
        _ body: @escaping (DefinitionLibrary) -> Void
    ) {
        let permit: ReadPermit
        do throws(Refusal) {
            permit = try .issue([Self.view], in: space, to: reader ?? responder.account.reader, by: store.registry)
        } catch {
            return responder.answer(Problem(error))
        }
        store.definitions(of: permit) { result in
            guard responder.isOpen else { return }
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let library): body(library)
            }
        }
    }
}
