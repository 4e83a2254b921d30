import Reactive
import StateStore
import Testing

/// Streams over live views, as views.
struct LiveViewTests {
    private let yard: Yard

    init() throws {
        yard = try Yard()
    }

    private static let double =
        #"{"id":"double","source":{"view":"numbers.one"},"operators":[{"map":{"expression":"value * 2"}}]}"#
    private static let pair =
        #"{"id":"pair","source":{"combineLatest":[{"view":"numbers.one"},{"view":"numbers.other"},{"ref":"double"}]}}"#

    @Test func `a live stream is read like a view, alone and with others: Law STREAM8`() {
        #expect(yard.put(Self.double).hasPrefix("1 "))
        #expect(yard.get("streams.double") == "streams.double=2")
        #expect(yard.get("numbers.one", "streams.double") == "numbers.one=1 streams.double=2")
    }

    @Test(arguments: [nil, "k"])
    func `an action with an unknown stream among its views is not performed: Law STREAM8`(key: String?) {
        _ = yard.put(Self.double)
        for (view, words) in [
            ("nope", "there is no stream \"nope\""), ("a", "the stream \"a\" has other sources than live views"),
        ] {
            let told = yard.post("numbers/set", #"{"one":5}"#, key: key, views: ["streams.double", "streams.\(view)"])
            #expect(told.hasPrefix("no view: \(words)"), "\(told)")
        }
        #expect(yard.get("streams.double") == "streams.double=2")
        #expect(yard.post("numbers/set", #"{"one":5}"#, key: key, views: ["streams.double"]).hasPrefix("2 "))
    }

    @Test func `a commit that changes its sources is one event with them, without a glitch: Law STREAM8`() {
        _ = yard.put(Self.double)
        _ = yard.put(Self.pair)
        let told = yard.watch("streams.pair", "numbers.one")
        yard.post("numbers/set", #"{"one":2,"other":20}"#)
        #expect(
            told.events == [
                "streams.pair=[1,10,2] numbers.one=1",
                "streams.pair=[2,20,4] numbers.one=2",
            ])
    }

    @Test func `a subscriber receives the value of a changed definition once: Law STREAM9`() {
        _ = yard.put(Self.double)
        _ = yard.put(Self.pair)
        let told = yard.watch("streams.double", "streams.pair")
        _ = yard.put(
            #"{"id":"double","source":{"view":"numbers.one"},"operators":[{"map":{"expression":"value + 10"}}]}"#)
        yard.post("numbers/set", #"{"one":2}"#)
        #expect(
            told.events == [
                "streams.double=2 streams.pair=[1,10,2]",
                "streams.double=11 streams.pair=[1,10,11]",
                "streams.double=12 streams.pair=[2,10,12]",
            ])
    }

    @Test func `an unrelated definition does not reset accumulated results: Law STREAM9`() {
        _ = yard.put(
            #"{"id":"sum","source":{"view":"numbers.one"},"operators":[{"scan":{"initialValue":0,"expression":"accumulated + value"}}]}"#
        )
        let told = yard.watch("streams.sum")
        yard.post("numbers/set", #"{"one":5}"#)
        _ = yard.put(Self.double)
        yard.post("numbers/set", #"{"one":6}"#)
        #expect(told.events == ["streams.sum=1", "streams.sum=6", "streams.sum=12"])
    }

    @Test func `a removed stream fails for its subscribers and continues when it comes back: Law STREAM9`() {
        _ = yard.put(Self.double)
        let told = yard.watch("streams.double")
        yard.post("streams/remove", #"{"id":"double"}"#)
        #expect(yard.get("streams.double") == #"no view: there is no stream "double""#)
        _ = yard.put(Self.double)
        #expect(
            told.events == [
                "streams.double=2", #"streams.double failed: there is no stream "double""#, "streams.double=2",
            ])
    }

    @Test func `a stream with items is no view, and the refusal says where to run it: Law STREAM8`() {
        #expect(yard.get("streams.a").contains("streams/a/values"))
        #expect(yard.watch("streams.merge").events.first?.contains("streams/merge/values") == true)
        _ = yard.put(#"{"id":"mixed","source":{"merge":[{"view":"numbers.one"},{"stream":[{"value":1}]}]}}"#)
        #expect(yard.get("streams.mixed").contains("streams/mixed/values"))
        #expect(yard.get("streams.nothing") == #"no view: there is no stream "nothing""#)
    }

    @Test func `a stream fails with its view and recovers with the next commit: Law STREAM8`() {
        _ = yard.put(#"{"id":"small","source":{"view":"numbers.small"}}"#)
        let told = yard.watch("streams.small")
        yard.post("numbers/set", #"{"one":101}"#)
        yard.post("numbers/set", #"{"one":3}"#)
        #expect(told.events.count == 3)
        #expect(told.events.last == "streams.small=3")
    }

    @Test func `a failing stream is retried with each commit: Law STREAM8`() {
        _ = yard.put(#"{"id":"small","source":{"view":"numbers.small"}}"#)
        let told = yard.watch("streams.small", "numbers.small")
        for one in [101, 102, 103, 4] { yard.post("numbers/set", #"{"one":\#(one)}"#) }
        #expect(told.events.last == "streams.small=4 numbers.small=4")
    }

    @Test func `a live stream survives a restart: Law STREAM6`() throws {
        let journal = MemoryJournal()
        do {
            let yard = try Yard(journal)
            _ = yard.put(Self.double)
        }
        #expect(try Yard(journal).get("streams.double") == "streams.double=2")
    }
}
