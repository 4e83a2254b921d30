import Expressions
package import JSON
package import StateModel

extension ClaimSet {
    /// The claims that expressions read; nil if they read none. A use of `token` as a whole reads all.
    static func read(by formulas: [CompiledFormula]) -> ClaimSet? {
        var names: [String] = []
        for formula in formulas {
            for read in formula.reads where read.name == "token" {
                guard case .member(let name)? = read.steps.first else { return .all }
                if !names.contains(name) { names.append(name) }
            }
        }
        return names.isEmpty ? nil : ClaimSet(names: names)
    }
}

extension Caller {
    /// The claims as expressions see them: `token.sub` is there always, an empty text if there is no subject.
    package var token: JSON {
        guard case .object(var claims) = claims else { return ["sub": ""] }
        if claims["sub"] == nil { claims["sub"] = .string(subject ?? "") }
        return .object(claims)
    }
}
