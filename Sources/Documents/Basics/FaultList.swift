internal import Ground
import JSON
import StateModel

/// The faults that a reader collects, up to a limit.
struct FaultList {
    private(set) var all: [DocumentFault] = []

    /// True if one more fault would be listed.
    var isOpen: Bool { all.count < DocumentLimits.faults }

    mutating func add(_ description: String, at pointer: JSONPointer, allowed: [String] = []) {
        add(DocumentFault(description, at: pointer, allowed: allowed))
    }

    mutating func add(_ fault: DocumentFault) {
        if isOpen { all.append(fault) }
    }

    /// Adds the fault of a name that nothing has. A suggestion compares many names, so it is not made without need.
    mutating func unknown(_ what: String, _ name: String, _ allowed: [String], at pointer: JSONPointer) {
        guard isOpen else { return }
        let hint = Spelling.nearest(to: name, among: allowed).map { "; did you mean \($0)?" } ?? ""
        add("there is no \(what) \"\(name.prefix(64))\"\(hint)", at: pointer, allowed: allowed)
    }
}
