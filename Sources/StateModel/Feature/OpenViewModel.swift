package import JSON
package import Reactive

/// A view model with views that the state defines, beyond those that it stores.
package protocol OpenViewModel: ViewModel {
    /// The view of a name, as the state is just now. It goes on to be the view of that name: where the state says
    /// something else of it, it follows, and where the state says nothing of it any more, it fails.
    func view(_ name: String) throws(MissingView) -> Observable<JSON>

    /// The sources of the view of a name, as the state is just now; nil if there is no such view. By default a view has
    /// none.
    func derivation(of name: String) -> ViewDerivation?

    /// The answer of the rules of all that the view of a name derives from, for a viewer. The store asks for it if a
    /// feature has rules. By default it is false.
    func answer(ofRulesOf name: String, for viewer: Viewer) -> Observable<Bool>
}

/// The sources of a view that the state defines.
package struct ViewDerivation: Sendable {
    /// The names of the views from which it derives, directly or not, as the definition writes them.
    package let views: Set<String>
    /// The names of the actions whose commits it reads, as `feature/action`.
    package let actions: Set<String>

    package init(views: Set<String>, actions: Set<String>) {
        (self.views, self.actions) = (views, actions)
    }
}

extension OpenViewModel {
    /// Returns no sources.
    package func derivation(of name: String) -> ViewDerivation? { ViewDerivation(views: [], actions: []) }

    /// Returns an answer that is always false.
    package func answer(ofRulesOf name: String, for viewer: Viewer) -> Observable<Bool> { .just(false) }
}

/// A view model whose state defines views that remember.
package protocol RememberingViewModel: OpenViewModel {
    /// The definitions that remember.
    var rememberer: any Rememberer { get }
}
