import JSON
import Reactive
import StateStore
import Streams
import Testing

/// Random pipelines that a space keeps, beside a model that computes each from its whole input, as ReactiveX defines the
/// operators. The model knows nothing of machines, memories and restarts.
struct RandomPipelineTests {
    @Test(arguments: 1...24)
    func `a kept pipeline delivers what the model does, whatever restarts: Law KEPT1, Law HISTORY1`(seed: UInt64) throws
    {
        var random = Randomness(seed: seed)
        let inputs = ["a", "b"].enumerated().map { (name: $1, events: Self.events(of: $0, &random)) }
        var maker = RandomPipeline.Maker(random: random)
        let pipeline = maker.any(depth: 3)
        let tape = try Tape(Tape.features)
        let document =
            #"{"id":"x","source":\#(pipeline.document),"operators":[{"append":{"values":["end"]}},"#
            + #"{"scan":{"initialValue":[],"expression":"accumulated + [value]"}}]}"#
        #expect(tape.market.post("streams/put", Tape.overCommits(document)))
        let model = pipeline.moments(Dictionary(uniqueKeysWithValues: inputs.map { ($0.name, Moments($0.events)) }))
        let actions = inputs.flatMap { input in input.events.map { (name: input.name, at: $0.at, value: $0.value) } }
            .sorted { $0.at < $1.at }
        for action in actions + [(name: "", at: 60_000_000, value: 0)] {
            let instant = Instant.zero + .microseconds(action.at)
            while tape.market.clock.now < instant {
                tape.market.clock.advance(to: min(tape.market.clock.next ?? instant, instant))
                tape.market.here.run()
            }
            if Int.random(in: 0..<3, using: &random) == 0 { try tape.market.restart() }
            if !action.name.isEmpty {
                #expect(tape.market.post("tape/\(action.name)", #"{"number":\#(action.value)}"#))
            }
            if Int.random(in: 0..<3, using: &random) == 0 { try tape.market.restart() }
            let shown = tape.market.get("streams.x")
            #expect(shown == model.shown(at: action.at), "at \(action.at): \(document)")
        }
    }

    /// Returns the events of an input, in microseconds. No alarm of one event is at the instant of another event, or of an
    /// alarm of it: each has microseconds of its own, and the durations are whole milliseconds.
    private static func events(of input: Int, _ random: inout Randomness) -> [(at: Int, value: Int)] {
        var milliseconds = 0
        return (0..<Int.random(in: 3...14, using: &random)).map { number in
            milliseconds += Int.random(in: 50...2_500, using: &random)
            return (milliseconds * 1_000 + number * 2 + input + 1, Int.random(in: 0...5, using: &random))
        }
    }
}

/// What a stream delivers at each instant, and its completion.
struct Moments {
    /// The values, by time in microseconds.
    var values: [(at: Int, all: [JSON])]
    var end: Int?

    init(_ values: [(at: Int, all: [JSON])], end: Int? = nil) {
        self.values = values.filter { !$0.all.isEmpty }
        self.end = end
    }

    init(_ events: [(at: Int, value: Int)]) {
        self.init(events.map { ($0.at, [.number(Decimal($0.value))]) })
    }

    /// The values one by one.
    var single: [(at: Int, value: JSON)] { values.flatMap { moment in moment.all.map { (moment.at, $0) } } }

    init(single: [(at: Int, value: JSON)], end: Int?) {
        var values: [(at: Int, all: [JSON])] = []
        for (at, value) in single {
            if values.last?.at == at {
                values[values.count - 1].all.append(value)
            } else {
                values.append((at, [value]))
            }
        }
        self.init(values, end: end)
    }

    /// All values up to a time, as the view of the test shows them.
    func shown(at time: Int) -> String {
        var all = single.filter { $0.at <= time }.map(\.value)
        if let end, end <= time { all.append("end") }
        return all.isEmpty ? "null" : "\(JSON.array(all))"
    }
}

/// A random pipeline: its document, and its meaning.
struct RandomPipeline {
    let document: String
    let moments: ([String: Moments]) -> Moments

    /// The maker of random pipelines.
    struct Maker {
        var random: Randomness
        /// Durations that are used once, so that no two alarms of an event are at one instant.
        private var durations = [103, 211, 431, 463, 877, 1_301, 1_759, 3_527]

        init(random: Randomness) {
            self.random = random
            durations.shuffle(using: &self.random)
        }

        mutating func any(depth: Int) -> RandomPipeline {
            guard depth > 0 else { return input() }
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return input()
            case 1: return joined("merge", any(depth: depth - 1), any(depth: depth - 1), RandomPipeline.merge)
            case 2: return joined("zip", any(depth: depth - 1), any(depth: depth - 1), RandomPipeline.zip)
            case 3:
                return joined(
                    "combineLatest", any(depth: depth - 1), any(depth: depth - 1), RandomPipeline.combineLatest)
            case 4:
                return besides(
                    "withLatestFrom", "source", any(depth: depth - 1), input(), RandomPipeline.withLatestFrom)
            case 5: return besides("sample", "source", any(depth: depth - 1), input(), RandomPipeline.sample)
            case 6: return besides("prefix", "until", any(depth: depth - 1), input(), RandomPipeline.prefixUntil)
            case 7: return besides("skip", "until", any(depth: depth - 1), input(), RandomPipeline.skipUntil)
            default: return operated(any(depth: depth - 1))
            }
        }

        private mutating func input() -> RandomPipeline {
            let name = Bool.random(using: &random) ? "a" : "b"
            return RandomPipeline(document: #"{"input":"\#(name)"}"#) { $0[name] ?? Moments([]) }
        }

        private func joined(
            _ name: String, _ one: RandomPipeline, _ other: RandomPipeline,
            _ join: @escaping (Moments, Moments) -> Moments
        ) -> RandomPipeline {
            RandomPipeline(document: #"{"\#(name)":[\#(one.document),\#(other.document)]}"#) {
                join(one.moments($0), other.moments($0))
            }
        }

        private func besides(
            _ name: String, _ label: String, _ source: RandomPipeline, _ side: RandomPipeline,
            _ join: @escaping (Moments, Moments) -> Moments
        ) -> RandomPipeline {
            let operators = #"[{"\#(name)":{"\#(label)":\#(side.document)}}]"#
            return RandomPipeline(document: #"{"source":\#(source.document),"operators":\#(operators)}"#) {
                join(source.moments($0), side.moments($0))
            }
        }

        private mutating func operated(_ source: RandomPipeline) -> RandomPipeline {
            let count = Int.random(in: 1...4, using: &random)
            let milliseconds = durations.removeFirst()
            let (seconds, wait) = ("\(Double(milliseconds) / 1_000)", milliseconds * 1_000)
            let (document, meaning): (String, (Moments) -> Moments) =
                switch Int.random(in: 0..<14, using: &random) {
                case 0: (#"{"map":{"expression":"[value]"}}"#, { RandomPipeline.each($0) { [.array([$0])] } })
                case 1:
                    (#"{"filter":{"expression":"value != 2"}}"#, { RandomPipeline.each($0) { $0 == 2 ? [] : [$0] } })
                case 2: (#"{"removeDuplicates":{}}"#, RandomPipeline.removeDuplicates)
                case 3:
                    (
                        #"{"dropFirst":{"count":\#(count)}}"#,
                        { Moments(single: Array($0.single.dropFirst(count)), end: $0.end) }
                    )
                case 4: (#"{"prefix":{"count":\#(count)}}"#, { RandomPipeline.prefix($0, count) })
                case 5: (#"{"element":{"at":\#(count)}}"#, { RandomPipeline.element($0, count) })
                case 6: (#"{"collect":{"count":\#(count)}}"#, { RandomPipeline.collect($0, count) })
                case 7: (#"{"last":{}}"#, { RandomPipeline.atEnd($0) { $0.suffix(1) } })
                case 8: (#"{"collect":{}}"#, { RandomPipeline.atEnd($0) { [.array($0)] } })
                case 9: (#"{"delay":{"seconds":\#(seconds)}}"#, { RandomPipeline.delay($0, wait) })
                case 10: (#"{"debounce":{"seconds":\#(seconds)}}"#, { RandomPipeline.debounce($0, wait) })
                case 11:
                    (
                        #"{"throttle":{"seconds":\#(seconds),"latest":true}}"#,
                        { RandomPipeline.throttle($0, wait, true) }
                    )
                case 12:
                    (
                        #"{"throttle":{"seconds":\#(seconds),"latest":false}}"#,
                        { RandomPipeline.throttle($0, wait, false) }
                    )
                default: (#"{"prefix":{"while":"value != 4"}}"#, RandomPipeline.prefixWhile)
                }
            return RandomPipeline(document: #"{"source":\#(source.document),"operators":[\#(document)]}"#) {
                meaning(source.moments($0))
            }
        }
    }

    // MARK: The meaning of the operators

    fileprivate static func each(_ source: Moments, _ results: (JSON) -> [JSON]) -> Moments {
        Moments(single: source.single.flatMap { at, value in results(value).map { (at, $0) } }, end: source.end)
    }

    fileprivate static func removeDuplicates(_ source: Moments) -> Moments {
        var kept: [(at: Int, value: JSON)] = []
        for event in source.single where kept.last.map({ $0.value != event.value }) ?? true { kept.append(event) }
        return Moments(single: kept, end: source.end)
    }

    fileprivate static func prefix(_ source: Moments, _ count: Int) -> Moments {
        let kept = Array(source.single.prefix(count))
        return Moments(single: kept, end: kept.count == count ? kept.last?.at : source.end)
    }

    fileprivate static func prefixWhile(_ source: Moments) -> Moments {
        let stop = source.single.firstIndex { $0.value == 4 }
        guard let stop else { return source }
        return Moments(single: Array(source.single[..<stop]), end: source.single[stop].at)
    }

    fileprivate static func element(_ source: Moments, _ index: Int) -> Moments {
        let kept = Array(source.single.dropFirst(index).prefix(1))
        return Moments(single: kept, end: kept.first?.at ?? source.end)
    }

    fileprivate static func collect(_ source: Moments, _ count: Int) -> Moments {
        let all = source.single
        var groups: [(at: Int, value: JSON)] = []
        for start in stride(from: 0, to: all.count, by: count) {
            let group = all[start..<min(start + count, all.count)]
            guard let at = group.count == count ? group.last?.at : source.end else { continue }
            groups.append((at, .array(group.map(\.value))))
        }
        return Moments(single: groups, end: source.end)
    }

    fileprivate static func atEnd(_ source: Moments, _ result: ([JSON]) -> [JSON]) -> Moments {
        guard let end = source.end else { return Moments([]) }
        return Moments([(end, result(source.single.map(\.value)))], end: end)
    }

    fileprivate static func delay(_ source: Moments, _ duration: Int) -> Moments {
        Moments(source.values.map { ($0.at + duration, $0.all) }, end: source.end.map { $0 + duration })
    }

    fileprivate static func debounce(_ source: Moments, _ duration: Int) -> Moments {
        let all = source.single
        var kept: [(at: Int, value: JSON)] = []
        for (index, event) in all.enumerated() {
            let next = index + 1 < all.count ? all[index + 1].at : nil
            if let next, next < event.at + duration { continue }
            if next == nil, let end = source.end, end < event.at + duration {
                kept.append((end, event.value))
            } else {
                kept.append((event.at + duration, event.value))
            }
        }
        return Moments(single: kept, end: source.end)
    }

    fileprivate static func throttle(_ source: Moments, _ duration: Int, _ latest: Bool) -> Moments {
        var kept: [(at: Int, value: JSON)] = []
        var opening: Int?
        var waiting: JSON?
        func open(until time: Int) {
            while let at = opening, at <= time, let value = waiting {
                kept.append((at, value))
                waiting = Optional.none
                opening = at + duration
            }
        }
        for (at, value) in source.single {
            open(until: at)
            if let opening, at < opening {
                if latest { waiting = value }
            } else {
                kept.append((at, value))
                opening = at + duration
            }
        }
        guard let end = source.end else {
            open(until: .max)
            return Moments(single: kept, end: nil)
        }
        open(until: end)
        guard let value = waiting, let at = opening else { return Moments(single: kept, end: end) }
        return Moments(single: kept + [(at, value)], end: at)
    }

    /// The times at which either delivers or ends, in their order.
    fileprivate static func times(_ one: Moments, _ other: Moments) -> [Int] {
        Set(one.values.map(\.at) + other.values.map(\.at) + [one.end, other.end].compactMap(\.self)).sorted()
    }

    fileprivate static func values(_ source: Moments, at time: Int) -> [JSON] {
        source.values.first { $0.at == time }?.all ?? []
    }

    fileprivate static func isOver(_ source: Moments, at time: Int) -> Bool { source.end.map { $0 <= time } ?? false }

    fileprivate static func merge(_ one: Moments, _ other: Moments) -> Moments {
        var end: Int?
        if let one = one.end, let other = other.end { end = max(one, other) }
        return Moments(times(one, other).map { ($0, values(one, at: $0) + values(other, at: $0)) }, end: end)
    }

    fileprivate static func combineLatest(_ one: Moments, _ other: Moments) -> Moments {
        var latest: (one: JSON?, other: JSON?)
        var kept: [(at: Int, value: JSON)] = []
        for at in times(one, other) {
            let (new, newer) = (values(one, at: at).last, values(other, at: at).last)
            latest = (new ?? latest.one, newer ?? latest.other)
            if new != nil || newer != nil, let one = latest.one, let other = latest.other {
                kept.append((at, .array([one, other])))
            }
            let isHopeless = isOver(one, at: at) && latest.one == nil || isOver(other, at: at) && latest.other == nil
            if isHopeless || isOver(one, at: at) && isOver(other, at: at) { return Moments(single: kept, end: at) }
        }
        return Moments(single: kept, end: nil)
    }

    fileprivate static func zip(_ one: Moments, _ other: Moments) -> Moments {
        var (ones, others): ([JSON], [JSON]) = ([], [])
        var kept: [(at: Int, value: JSON)] = []
        for at in times(one, other) {
            ones += values(one, at: at)
            others += values(other, at: at)
            while !ones.isEmpty, !others.isEmpty {
                kept.append((at, .array([ones.removeFirst(), others.removeFirst()])))
            }
            if isOver(one, at: at) && ones.isEmpty || isOver(other, at: at) && others.isEmpty {
                return Moments(single: kept, end: at)
            }
        }
        return Moments(single: kept, end: nil)
    }

    fileprivate static func withLatestFrom(_ source: Moments, _ side: Moments) -> Moments {
        Moments(
            source.values.map { at, all in
                guard let latest = side.values.last(where: { $0.at <= at })?.all.last else { return (at, []) }
                return (at, all.map { .array([$0, latest]) })
            }, end: source.end)
    }

    fileprivate static func sample(_ source: Moments, _ side: Moments) -> Moments {
        var latest: JSON?
        var kept: [(at: Int, value: JSON)] = []
        for at in times(source, side) {
            latest = values(source, at: at).last ?? latest
            if isOver(source, at: at) { return Moments(single: kept, end: at) }
            for _ in values(side, at: at) {
                if let value = latest { kept.append((at, value)) }
                latest = Optional.none
            }
            if isOver(side, at: at) { return Moments(single: kept, end: at) }
        }
        return Moments(single: kept, end: nil)
    }

    fileprivate static func prefixUntil(_ source: Moments, _ side: Moments) -> Moments {
        guard let stop = side.values.first?.at, source.end.map({ stop <= $0 }) ?? true else { return source }
        return Moments(source.values.filter { $0.at < stop }, end: stop)
    }

    fileprivate static func skipUntil(_ source: Moments, _ side: Moments) -> Moments {
        guard let start = side.values.first?.at else { return Moments([], end: source.end) }
        return Moments(source.values.filter { $0.at >= start }, end: source.end)
    }
}
