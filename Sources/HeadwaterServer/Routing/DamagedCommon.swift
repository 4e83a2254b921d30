import StateStore

extension Resource {
    /// True if an answer needs the space `common`: its features, its rules or its version.
    ///
    /// The past of a view that the program defines needs none of them.
    func needsCommon(_ route: Route) -> Bool {
        switch self {
        case .metrics, .subjects, .audit, .limits, .export, .operations, .operation, .operationLines, .spaces, .tickets,
            .me, .requestWhy:
            false
        case .view: !route.readsPast
        default: !isPublic
        }
    }
}
