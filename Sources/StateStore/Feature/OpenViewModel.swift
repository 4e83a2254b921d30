public import JSON
public import Reactive

/// A view model that has views beyond those that it stores: which, follows from the state.
public protocol OpenViewModel: ViewModel {
    /// The view of a name, as the state is just now. It goes on to be the view of that name: where the state says something else of it, it follows,
    /// and where the state says nothing of it any more, it fails.
    func view(_ name: String) throws(MissingView) -> Observable<JSON>
}
