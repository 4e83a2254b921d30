package import JSON
package import Reactive

/// The sources of a run outside its definition: views and inputs.
package struct ExternalSources {
    /// Returns the view of a name, if there is one.
    let view: (String) -> Observable<JSON>?
    /// Returns the input of a name, played on a scheduler, if there is one.
    let input: (String, any Scheduler) -> Observable<JSON>?

    /// Sources with views and without inputs.
    package init(view: @escaping (String) -> Observable<JSON>?) {
        self.init(view: view, input: { _, _ in nil })
    }

    init(view: @escaping (String) -> Observable<JSON>?, input: @escaping (String, any Scheduler) -> Observable<JSON>?) {
        self.view = view
        self.input = input
    }
}
