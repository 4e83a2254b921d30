import StateStore

/// The views that a target requests, by their canonical names, and the faults of their parameters.
struct RequestedViews {
    /// The view of the path, or its instance for the parameters of the query; nil if the path does not name a view.
    private(set) var ofPath: ViewKey?
    /// The views that the parameter `view` names, each once.
    private(set) var listed: [ViewKey] = []
    /// The fault of the parameters of the path's view, and of those of a listed view.
    private(set) var pathFault: RouteFault?
    private(set) var listFault: RouteFault?

    init() {}

    init(of resource: Resource, _ parameters: [(name: String, value: String)], _ registry: Registry, _ key: DigestKey) {
        if let view = resource.view {
            ofPath = view
            let known = resource.parameterNames(of: view, registry)
            // Most views have neither parameters nor windows.
            if !known.isEmpty {
                do throws(ParameterFault) {
                    ofPath = try registry.instanceName(
                        of: view, parameters.filter { known.contains($0.name) }, key)
                } catch {
                    pathFault = RouteFault(error)
                }
            }
        }
        for parameter in parameters where parameter.name == "view" {
            do throws(ParameterFault) {
                let name = try registry.viewName(ViewKey(parameter.value), key)
                if !listed.contains(name) { listed.append(name) }
            } catch {
                listFault = listFault ?? RouteFault(error)
            }
        }
    }

    /// The fault of a request that reads, or acts.
    func fault(of resource: Resource) -> RouteFault? {
        switch resource.meaning {
        case .view, .why, .history: pathFault
        case .views, .action, .actions, .difference, .restore, .erase, .edit: listFault
        default: nil
        }
    }
}

extension Resource {
    /// The names of the parameters of a view that a request for this resource can have. A history has no windows.
    func parameterNames(of view: ViewKey, _ registry: Registry) -> [String] {
        if case .history = meaning { return registry.ownParameterNames(of: view) }
        return registry.parameterNames(of: view)
    }
}

extension RouteFault {
    fileprivate convenience init(_ fault: ParameterFault) {
        self.init(
            kind: .invalid, detail: ProblemText(fault.description), allowed: fault.allowed, pointer: "\(fault.pointer)")
    }
}
