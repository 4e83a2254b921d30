import FeatureTesting
import JSON
import Reactive
import StateStore
import Testing

@Suite struct TestServerTests {
    let server: TestServer

    init() throws {
        server = try TestServer([Club.feature])
    }

    private func refusal(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: Rules and callers

    @Test func `an action has the rule of the server, and sees all claims`() throws {
        try server.perform(\ClubService.join, MemberName(name: "ada"))
        #expect(refusal { try server.perform("club/promote", #"{"name": "ada"}"#, by: "ada") } != nil)
        #expect(refusal { try server.perform("club/promote", #"{"name": "ada"}"#, claims: ["role": "cook"]) } != nil)
        try server.perform(\ClubService.promote, MemberName(name: "ada"), by: "bo", claims: ["role": "chair"])
        #expect(try server.value(of: "club.members", as: [Member].self) == [Member(name: "ada", level: .full)])
    }

    @Test func `a view has the rule of the server, and a watch ends when the rule does`() throws {
        try server.perform("club/join", #"{"name": "ada"}"#)
        let forbidden = "the rule of club.secret does not allow the caller to read it"
        #expect(refusal { _ = try server.view("club.secret") } == forbidden)
        #expect(refusal { _ = try server.watch("club.secret", by: "ada") } == forbidden)
        try server.perform("club/promote", MemberName(name: "ada"), claims: ["role": "chair"])
        #expect(try server.view("club.secret?prefix=x", by: "ada") == #""xnobody""#)
        let watch = try server.watch("club.secret", by: "ada")
        #expect(watch.values == [#""nobody""#] && watch.refusal == nil)
        // Who joins again is a guest.
        try server.perform("club/join", MemberName(name: "ada"))
        try server.perform("club/look", MemberName(name: "eve"))
        #expect(watch.refusal?.description == forbidden && watch.values == [#""nobody""#])
    }

    @Test func `a personal view is that of the caller`() throws {
        try server.perform("club/join", #"{"name": "ada"}"#, by: "bo")
        #expect(try server.view("club.mine", by: "ada") == #"{"name":"ada","level":"guest","invitedBy":"bo"}"#)
        #expect(try server.view("club.mine", by: "bo") == "null" && server.view("club.mine") == "null")
        let watch = try server.watch("club.mine", by: "bo")
        try server.perform("club/join", #"{"name": "bo"}"#)
        #expect(watch.values.count == 2 && watch.values.last?.contains("bo") == true)
    }

    // MARK: Presence

    @Test func `a client is present while its stream is open, and for the grace after it`() throws {
        let ada = try server.join("club.here", by: "ada")
        let guest = try server.join("club.here", as: "guest", with: MemberName(name: "guest"))
        #expect(try server.view("club.here") == #"["ada","guest"]"#)
        guest.leave()
        server.advance(.seconds(4))
        #expect(try server.view("club.here") == #"["ada","guest"]"#)
        server.advance(.seconds(2))
        #expect(try server.view("club.here") == #"["ada"]"# && server.view("club.left") == #"["guest"]"#)
        try server.restart()
        #expect(try server.view("club.here") == "[]" && server.view("club.left") == #"["guest"]"#)
        withExtendedLifetime(ada) {}
    }

    @Test func `a row of another needs a rule, and a table that has no presence is named`() {
        #expect(refusal { _ = try server.join("club.here", as: "bo", by: "ada") } != nil)
        #expect(
            refusal { _ = try server.join("club.members", by: "ada") }
                == "there is no table club.members with presence: there are club.here")
        #expect(refusal { _ = try server.join("club.here") } == "say whose row it is: as: or by:")
    }

    // MARK: The outside

    @Test func `an outgoing call waits for its answer, over a restart too`() throws {
        try server.perform(\ClubService.look, MemberName(name: "ada"))
        #expect(server.pending == ["http://registry.example/ada?key=secret"])
        try server.restart()
        #expect(server.requests.count == 2 && server.answer("ada", #"{"level": "full"}"#))
        #expect(try server.value(of: "club.members", as: [Member].self) == [Member(name: "ada", level: .full)])
        #expect(server.log == ["club in the space main: found ada"])
        #expect(server.pending.isEmpty || server.requests.count == 2)
    }

    @Test func `a call that fails is tried three times, and its failure is in words`() throws {
        try server.perform(\ClubService.look, MemberName(name: "ada"))
        for _ in 0..<3 {
            server.answer("ada", status: 503)
            server.advance(.seconds(2))
        }
        #expect(server.log.first == "warning: club in the space main: the registry answered 503")
        #expect(try server.perform(\ClubService.count, NoInput()) == 1)
    }

    // MARK: Views of lists

    @Test func `a watch has the patches that a stream sends`() throws {
        for name in ["ada", "bo", "cy"] { try server.perform(\ClubService.join, MemberName(name: name)) }
        let watch = try server.watch("club.members")
        try server.perform(\ClubService.promote, MemberName(name: "bo"), claims: ["role": "chair"])
        let patch = try #require(watch.patches.first ?? nil)
        #expect(patch.contains(#""path":"/1"#) && watch.values.count == 2)
        let first = try JSON(parsing: Array(watch.values[0].utf8))
        let second = try JSON(parsing: Array(watch.values[1].utf8))
        #expect(try JSONPatch(parsing: Array(patch.utf8)).applied(to: first) == second)
    }

    @Test func `a list has parameters, and rows join others by a foreign key`() throws {
        try server.perform(\ClubService.join, MemberName(name: "ada"))
        try server.perform(\ClubService.join, MemberName(name: "bo"), by: "ada")
        try server.perform(\ClubService.promote, MemberName(name: "ada"), claims: ["role": "chair"])
        #expect(try server.view("club.invitations") == #"["nobody invited ada","ada (full) invited bo"]"#)
        #expect(try server.value(of: "club.atLevel?level=full", as: [Member].self).map(\.name) == ["ada"])
        #expect(try server.value(of: "club.atLevel?level=guest", as: [Member].self).map(\.name) == ["bo"])
        #expect(try server.value(of: "club.guests", as: [Member].self).map(\.name) == ["bo"])
        #expect(try server.view("club.levels") == "2")
    }

    @Test func `parameters are named and refused as by the server`() throws {
        try server.perform(\ClubService.join, MemberName(name: "ada"))
        #expect(try server.value(of: "club.atLevel?level=%67uest", as: [Member].self).count == 1)
        #expect(try server.watch("club.atLevel?level=guest").values.count == 1)
        do {
            _ = try server.view("club.atLevel?level=none")
            Issue.record("a level that does not exist is taken")
        } catch let refusal as TestRefusal {
            #expect(refusal.description == "the value must be one of guest, full")
            #expect(
                refusal.rejection?.pointer == JSONPointer(["level"]) && refusal.rejection?.allowed == ["guest", "full"])
        }
        #expect(refusal { _ = try server.watch("club.atLevel") } == "club.atLevel needs the parameter level")
    }

    @Test func `a restart ends all watches`() throws {
        let watch = try server.watch("club.count")
        try server.restart()
        try server.perform(\ClubService.join, MemberName(name: "ada"))
        #expect(watch.values == ["0"] && watch.refusal?.description.contains("started again") == true)
        #expect(try server.watch("club.count").values == ["1"])
    }

    // MARK: Misspellings

    @Test func `names that do not exist are refused with those that do`() {
        #expect(
            refusal { try server.perform("club/joyn", "{}") }
                == "there is no action club/joyn: there are club/join, club/promote, club/look, club/count, club/leave")
        #expect(refusal { _ = try server.view("club.membres") }?.contains("there are club.members, club.count") == true)
        let noSpace = "a b cannot be the name of a space"
        #expect(refusal { try server.perform("club/count", in: "a b") } == noSpace)
        #expect(refusal { _ = try server.view("club.count", in: "a b") } == noSpace)
        #expect(
            refusal { try server.perform("club/join", in: "common") }
                == "club/join belongs to the spaces, not to common")
    }

    /// A feature whose effect performs what `action` says.
    private func careless(_ action: String) -> Feature {
        Feature(
            "careless", CarelessState.init, CarelessService.init, CarelessViewModel.init,
            effects: { state, outside in
                CarelessEffects(
                    work: Effect(for: state.work) { seconds in
                        Observable<Int>.timer(.seconds(seconds), on: outside.scheduler)
                            .flatMap { _ in outside.perform(action) }
                    })
            })
    }

    @Test(arguments: [
        ("finnish", "an effect performs careless/finnish, which is no action: careless has begin, finish"),
        ("other/finish", "an effect performs other/finish, but there is no feature other"),
    ])
    func `an effect that performs an action that does not exist makes the next call throw`(
        _ action: String, _ words: String
    ) throws {
        let server = try TestServer([careless(action)])
        #expect(refusal { try server.perform("careless/begin", #"{"seconds": 0}"#) } == nil)
        server.advance(.seconds(1))
        #expect(refusal { _ = try server.view("careless.isWorking") } == words)
        #expect(try server.view("careless.isWorking") == "true" && server.log.contains("warning: \(words)"))
    }

    @Test func `a misspelling that no call has thrown stops the test`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let server = try TestServer([
                Feature(
                    "careless", CarelessState.init, CarelessService.init, CarelessViewModel.init,
                    effects: { state, outside in
                        CarelessEffects(
                            work: Effect(for: state.work) { seconds in
                                Observable<Int>.timer(.seconds(seconds), on: outside.scheduler)
                                    .flatMap { _ in outside.perform("finnish") }
                            })
                    })
            ])
            try server.perform("careless/begin", #"{"seconds": 1}"#)
            server.advance(.seconds(1))
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("careless/finnish"))
    }

    // MARK: Printing

    @Test func `all that a test holds is printed and mirrored in short`() throws {
        let answer = try server.perform(\ClubService.join, MemberName(name: "ada"))
        let watch = try server.watch("club.members")
        let stay = try server.join("club.here", by: "ada")
        try server.perform(\ClubService.look, MemberName(name: "ada"))
        let request = try #require(server.requests.first)
        let refusal = TestRefusal.self
        let values: [Any] = [
            server, answer, watch, stay, request, Club.feature, Money.least, Timestamp(microseconds: .max),
            Timestamp(microseconds: .min), OutgoingResponse(status: 200, body: Array(repeating: 0xFF, count: 100_000)),
            Rejection.conflict("no", at: "name"), FetchFailure(.broken, "over"), Level.full, Member(name: "ada"),
            ClubState(), ClubService(ClubState()), ClubViewModel(ClubState()), Shape<Member>(Member()),
            Constraint<String>.email, refusal, SpaceName("main") as Any, Private(1),
        ]
        for value in values {
            var text = ""
            dump(value, to: &text)
            #expect(text.utf8.count < 50_000, "\(type(of: value))")
            #expect("\(value)".utf8.count + String(reflecting: value).utf8.count < 50_000, "\(type(of: value))")
        }
        #expect("\(answer)" == "version 1, changed club.members")
        #expect("\(request)" == "GET http://registry.example/ada")
        var text = ""
        dump(request, to: &text)
        #expect(!text.contains("secret"))
        #expect("\(server)" == "a test server of club at 2023-11-14T22:13:20.000000Z")
        #expect("\(watch)".hasPrefix(#"[[{"name":"ada""#) && "\(Club.feature)" == "feature club")
    }

    @Test func `a failed expectation about each of them does not stop the process`() throws {
        let answer = try server.perform(\ClubService.join, MemberName(name: "ada"))
        let watch = try server.watch("club.members")
        withKnownIssue { #expect(server.answer("nothing")) }
        withKnownIssue { #expect(watch.values.isEmpty && answer.version == 7) }
        withKnownIssue { #expect(server.requests == [OutgoingRequest("GET", "", target: "")]) }
        withKnownIssue { #expect(Club.feature.name == "other") }
        withKnownIssue { #expect(throws: Never.self) { try server.perform("club/none") } }
        withKnownIssue { #expect(Timestamp(microseconds: .max) == Timestamp(microseconds: .min)) }
    }
}

private struct CarelessState {
    let work = Variable<Int?>(nil)
}

private struct Wait: Record { var seconds = 0 }

private struct CarelessService: StateService {
    let begin: Action<Wait>
    let finish: Action<NoInput>

    init(_ state: CarelessState) {
        begin = Action { input, commit throws(Rejection) in commit[state.work] = input.seconds }
        finish = Action { commit throws(Rejection) in commit[state.work] = nil }
    }
}

private struct CarelessViewModel: ViewModel {
    let isWorking: Observable<Bool>

    init(_ state: CarelessState) {
        isWorking = state.work.map { $0 != nil }.removeDuplicates()
    }
}

private struct CarelessEffects: Effects {
    let work: Effect
}
