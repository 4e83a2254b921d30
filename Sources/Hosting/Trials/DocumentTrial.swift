import Documents
import JSON
import StateStore

/// The outcome of one test.
struct TrialOutcome {
    let name: String
    /// The first failure; nil if the test passed.
    let failure: DocumentTests.FailedTest?
}

/// The run of a document's tests.
struct DocumentTrial {
    private let feature: CompiledFeature
    private let registry: Registry
    private let goesOn: () -> Bool

    init(_ feature: CompiledFeature, _ registry: Registry, while goesOn: @escaping () -> Bool) {
        (self.feature, self.registry, self.goesOn) = (feature, registry, goesOn)
    }

    /// Runs the tests, each on a server without commits. Ends early if `goesOn` is false.
    func run() -> [TrialOutcome] {
        var outcomes: [TrialOutcome] = []
        for test in feature.document.tests {
            guard goesOn() else { break }
            do {
                let server = try TrialServer(registry)
                outcomes.append(TrialOutcome(name: test.name, failure: run(test, on: server)))
            } catch {
                outcomes.append(
                    TrialOutcome(
                        name: test.name, failure: DocumentTests.FailedTest(test.name, "\(error)", at: test.pointer)))
            }
        }
        return outcomes
    }

    private func run(_ test: WrittenTest, on server: TrialServer) -> DocumentTests.FailedTest? {
        for (step, pointer) in test.steps {
            do {
                guard goesOn() else { throw TrialFailure("the tests take too long") }
                try perform(step, on: server)
            } catch let failure as PlacedFailure {
                return DocumentTests.FailedTest(
                    test.name, failure.description, at: JSONPointer(pointer.tokens + failure.tokens))
            } catch {
                return DocumentTests.FailedTest(test.name, "\(error)", at: pointer)
            }
        }
        return nil
    }

    /// A failure at a part of its step.
    private struct PlacedFailure: Error {
        let description: String
        let tokens: [String]
    }

    private func perform(_ step: WrittenTest.WrittenTestStep, on server: TrialServer) throws {
        switch step {
        case .after(let seconds):
            let nanoseconds = min(max(seconds.double * 1e9, 0), 9e18)
            guard server.advance(.nanoseconds(Int64(nanoseconds)), while: goesOn) else {
                throw TrialFailure("the tests take too long")
            }
        case .expect(let views, let space, let token):
            for member in views { try expect(member.value, of: member.key, on: server, in: space, token) }
        case .act(let action, let input, let space, let token, let refused, let answer):
            let names = action.split(separator: "/", maxSplits: 1).map(String.init)
            let (owner, label) = names.count == 2 ? (names[0], names[1]) : (feature.name, action)
            let result = try server.perform(owner, label, input, in: space, by: Self.caller(token))
            try compare(result, refused: refused, answer: answer)
        }
    }

    private func expect(
        _ expected: JSON, of view: String, on server: TrialServer, in space: String?, _ token: JSON?
    ) throws {
        let name = view.contains(".") ? view : "\(feature.name).\(view)"
        let place = ["expect", view]
        switch try server.view(name, in: space, by: Self.caller(token)) {
        case .success(let value):
            if value == expected { return }
            throw PlacedFailure(
                description: Self.refusal(in: expected) == nil
                    ? "\(name) is \(value.shortened), not \(expected.shortened)"
                    : "\(name) can be read and is \(value.shortened); it is not refused", tokens: place)
        case .failure(let problem):
            guard let refused = Self.refusal(in: expected) else {
                throw PlacedFailure(description: "\(name) cannot be read: \(problem.detail)", tokens: place)
            }
            try compare(problem, with: refused, at: place + ["refused"])
        }
    }

    /// The members of the problem that `{"refused": {…}}` names; nil for another value.
    private static func refusal(in expected: JSON) -> JSON.Object? {
        guard case .object(let object) = expected, object.count == 1, case .object(let refused)? = object["refused"]
        else { return nil }
        return refused
    }

    /// Compares a problem with the members that are named.
    private func compare(_ problem: RefusedProblem, with refused: JSON.Object, at place: [String]) throws {
        for member in refused where problem.members[member.key] != member.value {
            let found = problem.members[member.key].map(\.shortened) ?? "not there"
            throw PlacedFailure(
                description:
                    "the \(member.key) of the refusal is \(found), not \(member.value.shortened): \(problem.detail)",
                tokens: place + [member.key])
        }
    }

    /// The caller with some claims, whom rules bind; without claims the server itself.
    private static func caller(_ token: JSON?) -> Caller {
        guard let token else { return .server }
        if case .string(let subject)? = token["sub"] { return Caller(subject, claims: token) }
        return Caller("", claims: token)
    }

    private func compare(_ result: Result<Answer, Refusal>, refused: JSON.Object?, answer: JSON?) throws {
        switch (result, refused) {
        case (.success, let refused?):
            throw PlacedFailure(
                description: "the action was performed, and not refused with \(JSON.object(refused).shortened)",
                tokens: ["refused"])
        case (.success(let performed), nil):
            guard let answer else { return }
            let value: JSON = performed.result.isEmpty ? .null : try JSON(parsing: performed.result)
            if value != answer {
                throw PlacedFailure(
                    description: "the answer is \(value.shortened), not \(answer.shortened)", tokens: ["answer"])
            }
        case (.failure(let refusal), let refused):
            let problem = RefusedProblem(refusal)
            guard let refused else { throw TrialFailure("the action was refused: \(problem.detail)") }
            try compare(problem, with: refused, at: ["refused"])
        }
    }
}

/// A refusal as the problem that a client receives, and the place of the rule that refused.
struct RefusedProblem: Error {
    let detail: String
    private(set) var members = JSON.Object()

    init(_ refusal: Refusal, rule: String? = nil) {
        switch refusal {
        case .rejected(let rejection):
            detail = rejection.description
            members = rejection.problem
            if !rejection.allowed.isEmpty { members["allowed"] = .array(rejection.allowed.map { .string($0) }) }
        case .forbidden(let view):
            detail = "the rules of the view \(view) do not let you read it"
            members["status"] = 403
        case .noSuchAction:
            detail = "there is no such action"
            members["status"] = 404
        case .wrongSpace:
            detail = "the action belongs to another kind of space"
            members["status"] = 409
        default:
            detail = "\(refusal)"
            members["status"] = 503
        }
        members["detail"] = .string(detail)
        var place = rule
        if case .rejected(let rejection) = refusal { place = rejection.rule }
        // `feature#pointer` for a rule of a document.
        if let place { members["rule"] = .string(String(place.split(separator: "#", maxSplits: 1).last ?? "")) }
    }
}

extension JSON {
    /// The value as text of at most 200 characters.
    fileprivate var shortened: String {
        let text = description
        return text.count <= 200 ? text : text.prefix(199) + "…"
    }
}
