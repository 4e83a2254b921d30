import JSON

extension ActRule {
    /// Returns actions of a feature that ask this rule once their input is read.
    func guarding(_ actions: [ActionClosures], of feature: String) -> [ActionClosures] {
        actions.map { action in
            ActionClosures(
                run: { [self] bytes, commit throws(Rejection) in
                    try check(try action.tree(bytes), of: feature, commit)
                    try action.run(bytes, &commit)
                },
                runTree: guarding(action.runTree, of: feature), tree: action.tree)
        }
    }

    private func guarding(
        _ run: ((JSON, inout Commit) throws(Rejection) -> Void)?, of feature: String
    ) -> ((JSON, inout Commit) throws(Rejection) -> Void)? {
        guard let run else { return nil }
        return { [self] tree, commit throws(Rejection) in
            try check(tree, of: feature, commit)
            try run(tree, &commit)
        }
    }
}
