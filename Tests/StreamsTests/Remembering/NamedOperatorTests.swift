import JSON
import Reactive
import ServerReads
import StateStore
import Streams
import Testing

/// Views in Swift that remember, and those that registration refuses.
struct NamedOperatorTests {
    private struct Shown<Value: JSONWritable & SchemaProviding>: ViewModel {
        let view: Observable<Value>
    }

    private struct Several: ViewModel {
        let one: Observable<Int>
        let other: Observable<Int>
    }

    private static func feature<Value: JSONWritable & SchemaProviding & SendableMetatype>(
        _ view: @escaping @Sendable (NumbersState) -> Observable<Value>
    ) -> Feature {
        Feature("numbers", NumbersState.init, NumbersService.init, { Shown(view: view($0)) })
    }

    private static func fault(_ features: [Feature]) -> String? {
        #expect(throws: RegistrationFault.self) { try Registry(features) }?.description
    }

    // Law HISTORY6
    @Test(arguments: [
        ("filter", feature { $0.one.filter { $0 > 3 } }),
        ("compactMap", feature { $0.one.compactMap { $0 > 3 ? $0 : nil } }),
        ("merge", feature { merge($0.one, $0.other) }),
        ("append", feature { $0.one.append($0.other) }),
        ("append", feature { $0.one.prepend(7) }),
        ("prefix", feature { $0.one.prefix(2) }),
        ("prefix", feature { $0.one.first() }),
        ("prefix", feature { $0.one.prefix { $0 > 3 } }),
        ("allSatisfy", feature { $0.one.allSatisfy { $0 > 3 } }),
        ("allSatisfy", feature { $0.one.contains(3) }),
        ("removeDuplicates", feature { $0.one.removeDuplicates { $0 / 2 == $1 / 2 } }),
        ("removeDuplicates", feature { $0.one.removeDuplicates { $0 / 2 } }),
        ("scan", feature { $0.one.map { $0 * 2 }.scan(0) { count, _ in count + 1 } }),
        ("reduce", feature { $0.one.count() }),
        ("collect", feature { $0.one.collect(2) }),
        ("last", feature { $0.one.last() }),
        ("dropFirst", feature { $0.one.dropFirst() }),
        ("withLatestFrom", feature { $0.one.withLatestFrom($0.other).map { $0 + $1 } }),
        ("zip", feature { zip($0.one, $0.other).map { $0 + $1 } }),
        ("race", feature { race($0.one, $0.other) }),
        ("replaceError", feature { $0.one.replaceError(with: 0) }),
        ("catch", feature { $0.one.catch { _ in .just(0) } }),
        ("flatMap", feature { numbers in numbers.one.flatMap { _ in numbers.other } }),
        ("concatMap", feature { numbers in numbers.one.concatMap { _ in numbers.other } }),
        ("filter", feature { combineLatest($0.one.filter { $0 > 3 }, $0.other).map { $0 + $1 } }),
        ("filter", feature { $0.one.filter { $0 > 3 }.count("high") }),
        ("subject", feature { _ in Subject<Int>() }),
    ])
    func `an operator without a name that remembers is refused`(_ name: String, _ feature: Feature) {
        let words = Self.fault([feature]) ?? ""
        #expect(words.contains(" uses \(name), which remembers"), "\(words)")
    }

    // Law HISTORY6
    @Test(arguments: [
        feature { $0.one },
        feature { $0.one.map { $0 * 2 }.removeDuplicates() },
        feature { combineLatest($0.one, $0.other).map { $0 + $1 } },
        feature { numbers in numbers.one.flatMapLatest { $0 > 3 ? numbers.other : .just(0) } },
        feature { $0.one.filter("high") { $0 > 3 } },
        feature { _ in changes("numbers/set").filter { $0.input["one"] != nil }.map { $0.version }.last("last") },
        feature { _ in merge(changes("numbers/set"), changes("numbers/set")).count("twice") },
    ])
    func `a view that follows from the present state or from names is registered`(_ feature: Feature) throws {
        _ = try Registry([feature])
    }

    @Test func `a wrong name, source or duration is reported at registration: Law R1`() {
        let wrong: [(String, Feature)] = [
            ("numbers cannot have an operator called \"\"", Self.feature { $0.one.count("") }),
            ("numbers cannot have an operator called \"a b\"", Self.feature { $0.one.count("a b") }),
            (
                "numbers has two operators called moves",
                Feature("numbers", NumbersState.init, NumbersService.init) {
                    Several(one: $0.one.count("moves"), other: $0.other.count("moves"))
                }
            ),
            (
                "numbers reads the commits of \"numbers/sit\", which is no action of its spaces",
                Self.feature { _ in changes("numbers/sit").count("sits") }
            ),
            (
                "numbers reads the commits of numbers/set with another input than the action has",
                Self.feature { _ in changes("numbers/set", RateInput.self).count("sets") }
            ),
            ("numbers's view view shows commits", Self.feature { _ in changes("numbers/set").map { $0.version } }),
            (
                "numbers's operator calm: its duration must be at least 0.1 s",
                Self.feature { $0.one.debounce("calm", .milliseconds(99)) }
            ),
            (
                "numbers has named operators beyond 100",
                Self.feature { numbers in
                    (0...100).map { numbers.one.count("n\($0)") }.reduce(.just(0)) {
                        combineLatest($0, $1).map { $0 + $1 }
                    }
                }
            ),
        ]
        for (words, feature) in wrong {
            #expect(Self.fault([feature])?.hasPrefix(words) == true, "\(words)")
        }
        struct Late: ViewModel {
            let view: ParameterView<RateInput, Int>
        }
        let late = Feature("numbers", NumbersState.init, NumbersService.init) { numbers in
            Late(view: ParameterView { input in numbers.one.map { $0 * input.rate }.count("late") })
        }
        #expect(Self.fault([late])?.contains("not made in the initializer of the view model") == true)
    }

    // MARK: In a space

    @Test func `memory is facts of the commit, by entry, which the answer does not list: Law HISTORY3`() throws {
        let market = try Market(Market.taped)
        #expect(market.post("market/set", #"{"amount":2,"other":3}"#))
        #expect(market.post("market/set", #"{"other":4}"#))
        let commit = try #require(try market.commits().last)
        #expect(commit.changed == ["market.other"])
        // Beside the value there is the digest of the source, which may depend on `common`.
        let all = commit.facts.filter { $0.variable == "~market.all" && $0.entry != "source" }
        #expect(all.map(\.entry) == ["values/1"])
        #expect(all.map { $0.value.map { String(decoding: $0, as: UTF8.self) } } == ["4"])
        try market.restart()
        #expect(market.get("market.all") == "[3,4]")
        #expect(market.store.loadedCount == 1)
    }

    @Test func `an answer shows what its commit has changed in a remembering view`() throws {
        let market = try Market(Market.taped)
        var told: [String] = []
        let call = Call(
            feature: "market", action: "set", input: Array(#"{"amount":2}"#.utf8),
            views: .ofServer(["market.sum", "market.folded"], in: market.space, market.store.registry))
        market.store.perform(call, in: market.space) { told.append(Yard.told($0.map(\.views))) }
        market.here.run()
        #expect(told == ["market.sum=2 market.folded=2"])
    }

    @Test func `an alarm of an operator wakes a sleeping space, and goes off once: Law HISTORY4`() throws {
        let market = try Market(Market.taped)
        #expect(market.post("market/set", #"{"amount":2}"#))
        try market.restart()
        #expect(market.store.loadedCount == 0)
        market.clock.advance(by: .seconds(60))
        market.here.run()
        #expect(try market.commits().map(\.action) == ["market/set", "streams/elapsed", "streams/elapsed"])
        #expect(market.get("market.calm") == "2")
        #expect(market.get("market.delayed") == "2")
        #expect(try market.journal.alarms(upTo: .latest, limit: 1).first?.at == nil)
    }

    private struct Words: Record {
        var words = ""
        static let shape = Shape(Words()) { $0.required("words", \.words) }
    }
    private struct WordsState { let words = Variable("") }
    private struct WordsService: StateService {
        let say: Action<Words>
        init(_ state: WordsState) { say = Action { input, commit in commit[state.words] = input.words } }
    }

    @Test func `an operator beyond 1 MiB fails for ever, and the commit stands: Law HISTORY5`() throws {
        let feature = Feature("talk", WordsState.init, WordsService.init) { state in
            Shown(view: state.words.collect("said"))
        }
        let market = try Market([Market.features[0], feature])
        let long = String(repeating: "x", count: 500_000)
        #expect(market.post("talk/say", "{\"words\":\"a\(long)\"}"))
        #expect(market.post("talk/say", "{\"words\":\"b\(long)\"}"))
        #expect(market.get("talk.view").utf8.count > 1_000_000)
        #expect(market.post("talk/say", "{\"words\":\"c\(long)\"}"))
        for _ in 0..<2 {
            #expect(market.get("talk.view") == "")
            try market.restart()
        }
        #expect(try market.commits().last?.facts.count { $0.variable == "~talk.said" && $0.value != nil } == 1)
        #expect(market.post("talk/say", "{\"words\":\"d\"}"))
    }

    @Test func `a failed source is no input, and the operator goes on after it: Law HISTORY1`() throws {
        let feature = Self.feature { numbers in
            numbers.one.map { one in
                if one > 100 { throw NoNumber() }
                return one
            }.scan("sum", 0) { $0 + $1 }
        }
        let market = try Market([Market.features[0], feature])
        for (one, isRestarted) in [(2, false), (101, false), (2, true), (102, true), (103, false), (3, false)] {
            #expect(market.post("numbers/set", "{\"one\":\(one)}"))
            if isRestarted { try market.restart() }
        }
        #expect(market.get("numbers.view") == "7")
    }

    @Test func `an operator that now keeps another type begins anew with the next commit`() throws {
        let before = Self.feature { $0.one.map { "\($0)" }.scan("all", "") { $0 + $1 } }
        let market = try Market([Market.features[0], before])
        #expect(market.post("numbers/set", #"{"one":2}"#))
        #expect(market.get("numbers.view") == #""2""#)
        try market.restart([Market.features[0], Self.feature { $0.one.scan("all", 0) { $0 + $1 } }])
        #expect(market.get("numbers.view") == "null")
        #expect(market.post("numbers/set", #"{"one":3}"#))
        #expect(market.get("numbers.view") == "3")
    }

    @Test func `a feature in common remembers, and every space shows it`() throws {
        let counted = Feature("rates", in: .common, RateState.init, RateService.init) {
            Shown(view: $0.rate.collect("rates"))
        }
        let market = try Market([counted])
        for rate in 2...4 { #expect(market.post("rates/set", "{\"rate\":\(rate)}", in: .common)) }
        #expect(market.get("rates.view") == "[2,3,4]")
        try market.restart()
        #expect(market.get("rates.view") == "[2,3,4]")
        let told = market.watch("rates.view")
        #expect(market.post("rates/set", "{\"rate\":5}", in: .common))
        #expect(told.events == ["rates.view=[2,3,4]", "rates.view=[2,3,4,5]"])
    }
}
