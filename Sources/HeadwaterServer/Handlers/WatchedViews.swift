import StateStore

extension WatchedView {
    /// Finds a view as a client names it, `SPACE/feature.view`, that a token covers.
    static func find(
        _ text: String, _ token: Token, _ names: ViewNames, _ key: DigestKey
    ) -> Result<WatchedView, Problem.ProblemFailure> {
        func failure(_ problem: Problem) -> Result<WatchedView, Problem.ProblemFailure> {
            .failure(Problem.ProblemFailure(problem: problem))
        }
        guard let slash = text.firstIndex(of: "/") else {
            return failure(Problem(.invalid, "watch is SPACE/feature.view, and \"\(text)\" has no slash"))
        }
        guard let space = SpaceName(String(text[..<slash])) else {
            return failure(Problem(.noSuchSpace, "\"\(text[..<slash])\" cannot be the name of a space"))
        }
        let view: ViewKey
        do throws(ParameterFault) {
            view = try names.registry.viewName(ViewKey(String(text[text.index(after: slash)...])), key)
        } catch {
            return failure(
                Problem(.invalid, ProblemText(error.description), at: "\(error.pointer)", allowed: error.allowed))
        }
        guard names.has(view, in: space) else { return failure(names.noView(view, in: space)) }
        guard token.covers(space) else {
            return failure(Problem(.forbidden, "this token is not good for the space \(space)"))
        }
        return .success(WatchedView(view, in: space))
    }
}
