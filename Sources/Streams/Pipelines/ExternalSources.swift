public import JSON
public import Reactive

/// Where a run gets what comes from outside its definition.
public struct ExternalSources {
    /// The view of a name, where there is one.
    let view: (String) -> Observable<JSON>?
    /// The input of a name, where there is one, played on a scheduler.
    let input: (String, any Scheduler) -> Observable<JSON>?

    /// Views, and no inputs.
    public init(view: @escaping (String) -> Observable<JSON>?) {
        self.init(view: view, input: { _, _ in nil })
    }

    init(view: @escaping (String) -> Observable<JSON>?, input: @escaping (String, any Scheduler) -> Observable<JSON>?) {
        self.view = view
        self.input = input
    }
}
