import JSON
import StateStore

/// The parts of documents that are read and checked, and that this version does not run. A document that has one is
/// refused: to ignore it would break what its author relies on.
enum Unavailable {
    static func check(_ document: FeatureDocument, _ faults: inout FaultList) {
        for state in document.state {
            guard case .table(let table) = state.form else { continue }
            if !table.isKept, document.home == .common {
                faults.add("tables in common are kept", at: state.pointer.appending("kept"))
            }
            if !table.initial.isEmpty { refuse("initial rows", at: state.pointer.appending("initial"), &faults) }
        }
    }

    private static func refuse(_ what: String, at pointer: JSONPointer, _ faults: inout FaultList) {
        faults.add("\(what): this version of the server does not run this yet", at: pointer)
    }
}
