import JSON
import StateModel

extension FeatureDocument {
    /// The faults for which a new document is refused, although one that was taken before stays in use.
    var faultsWhenPut: [DocumentFault] {
        var faults: [DocumentFault] = []
        if let fault = ReservedNames.fault(of: name) {
            faults.append(DocumentFault(fault, at: JSONPointer(["feature"])))
        }
        // The memory of a view and that of the schedules have the same name.
        if !schedules.isEmpty, let view = views.first(where: { $0.name == "schedules" }) {
            faults.append(
                DocumentFault("a feature with schedules has no view of this name: choose another", at: view.pointer))
        }
        return faults + NullRows.faults(of: self)
    }
}
