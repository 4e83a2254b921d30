@testable import HeadwaterServer
@testable import StateStore
import Testing

/// Law H15: a live stream shows each commit once and whole, in whatever order the loops tell of it.
@Suite struct LiveValuesTests {
    /// Spaces on several loops, each with two views: one that changes by the space's own commits and one that changes by
    /// commits in `common`. All of it is in memory, and every loop tells of it later.
    private struct World {
        let selection: LiveSelection
        let branchOfPart: [Int]
        var versions: [Int]
        /// The version of `common` that each loop shows, and the newest.
        var commons: [Int]
        var common = 0
        /// The versions of `common` that change the second view of each space.
        var affecting: [Set<Int>]
        /// The news that each loop has told and the stream has not heard.
        var told: [[LiveNews]]
        /// The moments of the parts at each request for news, and the requests that each loop has answered.
        var requests: [[Moment]] = []
        var answered: [Int]

        init(spaces: Int, loops: Int) throws {
            let registry = try Registry([])
            let entries =
                (0..<spaces).flatMap { space in
                    let name = SpaceName("s\(space)")!
                    return [WatchedView("f.a", in: name), WatchedView("f.b", in: name)]
                }
            selection = try #require(
                LiveSelection(entries) { try? ReadPermit.issue($0, in: $1, to: .server, by: registry) })
            branchOfPart = (0..<spaces).map { $0 % loops }
            versions = Array(repeating: 0, count: spaces)
            commons = Array(repeating: 0, count: loops)
            affecting = Array(repeating: [], count: spaces)
            told = Array(repeating: [], count: loops)
            answered = Array(repeating: 0, count: loops)
        }

        func moment(of part: Int) -> Moment {
            Moment(version: versions[part], common: commons[branchOfPart[part]])
        }

        /// A loop answers the requests for news, with all views of its spaces.
        mutating func answer(_ branch: Int) {
            let updates = versions.indices.filter { branchOfPart[$0] == branch }.map { update($0, [0, 1]) }
            answered[branch] = requests.count
            told[branch].append(LiveNews(updates: updates, common: commons[branch], refresh: requests.count))
        }

        /// The two values of a space at a moment.
        func values(of part: Int, at moment: Moment) -> [String] {
            let last = affecting[part].filter { $0 <= moment.common }.max() ?? 0
            return ["[\(part),\(moment.version)]", "[\(part),\"common\",\(last)]"]
        }

        func update(_ part: Int, _ views: [Int]) -> LiveUpdate {
            let moment = moment(of: part)
            let values = values(of: part, at: moment)
            return LiveUpdate(
                part: part, moment: moment, lives: [Life(era: 1, count: 0), Life(era: 1, count: 0)],
                frames: views.map { view in
                    (view: view, frame: Frame(value: .success(ViewValue(Array(values[view].utf8))), since: moment))
                })
        }

        mutating func tell(_ branch: Int, _ updates: [LiveUpdate]) {
            told[branch].append(LiveNews(updates: updates, common: commons[branch]))
        }
    }

    private static let key = DigestKey(1, 2)

    private func digest(_ frame: Frame) -> Digest {
        if case .success(let value) = frame.value { return value.digest(Self.key) }
        return Digest([], Self.key)
    }

    @Test(arguments: 0..<200) func `random news of several loops show each commit whole, and in the end everything`(
        _ seed: UInt64
    ) throws {
        var random = Entropy(seed: seed)
        let spaces = 2 + random.below(5)
        var world = try World(spaces: spaces, loops: 1 + random.below(min(3, spaces)))
        var values = LiveValues(world.selection, world.branchOfPart)
        let parts = world.selection.parts.indices
        for branch in world.told.indices {
            world.tell(branch, parts.filter { world.branchOfPart[$0] == branch }.map { world.update($0, [0, 1]) })
        }
        for _ in 0..<300 {
            switch random.below(8) {
            case 6: world.requests.append(parts.map { world.moment(of: $0) })
            case 7:
                let branch = random.below(world.told.count)
                if world.answered[branch] < world.requests.count { world.answer(branch) }
            case 0, 1:
                // A commit in a space.
                let part = random.below(parts.count)
                world.versions[part] += 1
                world.tell(world.branchOfPart[part], [world.update(part, [0])])
            case 2:
                // A commit in `common`, which the loops show later.
                world.common += 1
                for part in parts where random.isOne(in: 2) { world.affecting[part].insert(world.common) }
            case 3:
                // A loop shows the next version of `common`.
                let branch = random.below(world.commons.count)
                guard world.commons[branch] < world.common else { continue }
                world.commons[branch] += 1
                let changed = parts.filter {
                    world.branchOfPart[$0] == branch && world.affecting[$0].contains(world.commons[branch])
                }
                world.tell(branch, changed.map { world.update($0, [1]) })
            default:
                // The stream hears some news, and takes a step.
                let branch = random.below(world.told.count)
                guard !world.told[branch].isEmpty else { continue }
                values.note(world.told[branch].removeFirst(), from: branch)
                if random.isOne(in: 2) { try step(&values, world) }
                // A stream that begins now shows what its request for news has asked for.
                if values.refresh > 0 {
                    let asked = world.requests[values.refresh - 1]
                    for part in parts { #expect(try #require(values.moments[part]) >= asked[part]) }
                }
            }
        }
        let answeredBefore = values.refresh
        for branch in world.commons.indices {
            world.answer(branch)
            while world.commons[branch] < world.common {
                world.commons[branch] += 1
                let changed = parts.filter {
                    world.branchOfPart[$0] == branch && world.affecting[$0].contains(world.commons[branch])
                }
                world.tell(branch, changed.map { world.update($0, [1]) })
            }
            for news in world.told[branch] { values.note(news, from: branch) }
            try step(&values, world)
        }
        #expect(!values.isWaiting)
        #expect(values.refresh == world.requests.count && answeredBefore <= values.refresh)
        for part in parts {
            let moment = Moment(version: world.versions[part], common: world.common)
            #expect(shown(values, part) == world.values(of: part, at: moment))
        }
    }

    private func shown(_ values: LiveValues, _ part: Int) -> [String] {
        [0, 1].map { view in
            values.value(of: values.selection.starts[part] + view)
                .map { String(decoding: $0.bytes, as: UTF8.self) } ?? "null"
        }
    }

    private func step(_ values: inout LiveValues, _ world: World) throws {
        let before = values
        guard let changes = values.takeStep(digest) else { return }
        #expect(values.step == before.step + 1)
        for part in values.selection.parts.indices {
            let moment = try #require(values.moments[part])
            // The values of a space are all of one moment, which never goes back.
            #expect(shown(values, part) == world.values(of: part, at: moment))
            if let earlier = before.moments[part] { #expect(earlier <= moment) }
        }
        // A commit in `common` is shown by all spaces that it changes, or by none.
        for commit in 0...world.common {
            let shows = Set(
                values.selection.parts.indices.filter { world.affecting[$0].contains(commit) }
                    .map { (values.moments[$0]?.common ?? 0) >= commit })
            #expect(shows.count <= 1, "commit \(commit) in common is shown by half")
        }
        for change in changes { #expect(values.changedAt[change.view] == values.step) }
    }

    @Test func `a loop that stays behind holds up the others only for a while`() throws {
        var world = try World(spaces: 2, loops: 2)
        var values = LiveValues(world.selection, world.branchOfPart)
        for part in 0..<2 { world.tell(part, [world.update(part, [0, 1])]) }
        for branch in 0..<2 { values.note(world.told[branch].removeFirst(), from: branch) }
        #expect(values.takeStep(digest)?.count == 4)
        world.common = 1
        world.commons[0] = 1
        world.affecting[0] = [1]
        world.tell(0, [world.update(0, [1])])
        values.note(world.told[0].removeFirst(), from: 0)
        #expect(values.takeStep(digest) == nil && values.isWaiting)
        #expect(values.takeStep(isPatient: false, digest)?.count == 1 && !values.isWaiting)
    }

    @Test func `an id tells the values, the lives and what is watched, and nothing else`() throws {
        var world = try World(spaces: 2, loops: 1)
        var values = LiveValues(world.selection, world.branchOfPart)
        world.tell(0, [world.update(0, [0, 1]), world.update(1, [0, 1])])
        values.note(world.told[0].removeFirst(), from: 0)
        _ = values.takeStep(digest)
        let first = values.id(Self.key, era: 1)
        #expect(first.text.utf8.count <= 128 && LiveID(first.text) == first)
        #expect(first.relation(of: first) == .current)
        world.versions[0] += 1
        world.tell(0, [world.update(0, [0])])
        values.note(world.told[0].removeFirst(), from: 0)
        _ = values.takeStep(digest)
        let second = values.id(Self.key, era: 1)
        #expect(second.relation(of: first) == .changed && first.relation(of: second) == .changed)
        #expect(values.id(Self.key, era: 2).relation(of: second) == .ended)
        #expect(LiveID("") == nil && LiveID(first.text + "a") == nil && LiveID("ü" + first.text.dropFirst(2)) == nil)
    }
}

/// Random numbers that follow from a seed.
private struct Entropy {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    mutating func isOne(in bound: Int) -> Bool { below(bound) == 0 }
}
