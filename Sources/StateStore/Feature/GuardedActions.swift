import JSON

extension ActRule {
    /// Returns actions that ask this rule first.
    func guarding(_ actions: [ActionClosures]) -> [ActionClosures] {
        actions.map { action in
            ActionClosures(
                run: { [self] bytes, commit throws(Rejection) in
                    try check(try Self.input(bytes), commit)
                    try action.run(bytes, &commit)
                },
                runTree: guarding(action.runTree))
        }
    }

    private func guarding(
        _ run: ((JSON, inout Commit) throws(Rejection) -> Void)?
    ) -> ((JSON, inout Commit) throws(Rejection) -> Void)? {
        guard let run else { return nil }
        return { [self] tree, commit throws(Rejection) in
            try check(tree, commit)
            try run(tree, &commit)
        }
    }
}
