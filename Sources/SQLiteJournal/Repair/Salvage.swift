internal import StateStore

/// The rows of a database that can be read, found page by page. The shape of a record tells its table, and its sum that
/// it is as it was written.
struct Salvage {
    /// The spaces by ID.
    private(set) var spaces: [Int: SalvagedSpace] = [:]
    /// Names by ID, from the index of names.
    private var indexedNames: [Int: SpaceName] = [:]
    /// The damaged content that belongs to no known space.
    private(set) var losses: [RepairReport.Loss] = []
    /// True if content is lost that may have been of any space.
    private(set) var lacksPages = false
    /// The names of forgotten spaces.
    private(set) var deleted: Set<SpaceName> = []
    /// True if a row of `places` looks like one of `alarms`.
    private var hasPlaces = false
    private var doubtfulAlarms: [(space: Int, at: Int)] = []
    private var doubtfulNames: [(id: Int, name: String, sum: Int)] = []
    private var marked: [Int] = []
    /// The spaces whose rows are kept; nil for all.
    private let wanted: Set<Int>?
    private let pages: SalvagedPages

    /// Reads all pages. Keeps the rows of the `wanted` spaces, and the newest version of the others.
    init(_ pages: SalvagedPages, wanted: Set<Int>? = nil) {
        self.pages = pages
        self.wanted = wanted
        if let damage = pages.damagedFrame {
            lose(
                nil, nil, nil,
                "frame \(damage.number) of \(damage.synced) of the log is damaged; later frames count where their rows are as they were written"
            )
        }
        var known = pages.free
        var unknown: [Int] = []
        for page in stride(from: 1, through: pages.count, by: 1) {
            let isFree = pages.free.contains(page)
            var isTree = false
            for image in pages.images(of: page) {
                guard let used = read(image, page, isFree: isFree) else { continue }
                isTree = true
                known.formUnion(used)
            }
            if isTree { known.insert(page) } else if !isFree { unknown.append(page) }
        }
        for page in unknown where !known.contains(page) {
            lacksPages = true
            lose(nil, nil, nil, "page \(page) of the file cannot be read")
            for image in pages.images(of: page) { search(image) }
        }
        settle()
    }

    // MARK: Pages

    /// Reads the cells of a page. Returns the pages of their overflow, or nil if the page is none of a tree.
    private mutating func read(_ image: [UInt8], _ page: Int, isFree: Bool) -> Set<Int>? {
        let start = page == 1 ? SalvagedPages.headerBytes : 0
        let tree: SalvagedRecord.TreeKind
        switch image[start] {
        case 0x0D: tree = .table
        case 0x0A: tree = .index
        case 0x02: tree = .innerIndex
        // It has the numbers of pages only, if it is one.
        case 0x05:
            if isFree { return nil }
            if !isInnerTable(image, start) { noteDamage(of: page, image) }
            return []
        default: return nil
        }
        let count = SalvagedPages.number(image, start + 3, 2)
        let places = start + (tree == .innerIndex ? 12 : 8)
        guard places + 2 * count <= image.count else { return nil }
        var used: Set<Int> = []
        var bytes = places + 2 * count
        var isDamaged = false
        var records: [SalvagedRecord] = []
        for index in 0..<count {
            let place = SalvagedPages.number(image, places + 2 * index, 2)
            let record = SalvagedRecord(image, at: place, in: tree) { pages.images(of: $0).first }
            guard let record else {
                isDamaged = true
                continue
            }
            used.formUnion(record.overflow)
            bytes += record.size
            records.append(record)
        }
        if isFree {
            for record in records { _ = take(record, isUnused: true) }
            return []
        }
        for record in records where !take(record) { isDamaged = true }
        // Each byte belongs to a cell or is known as free. If not, the page has lost a cell.
        if let free = Self.freeBytes(image, start, places + 2 * count) { bytes += free } else { isDamaged = true }
        if bytes != image.count { isDamaged = true }
        if isDamaged { noteDamage(of: page, image) }
        return used
    }

    private mutating func noteDamage(of page: Int, _ image: [UInt8]) {
        lacksPages = true
        lose(nil, nil, nil, "page \(page) of the file is damaged; its rows count where they are as they were written")
        search(image)
    }

    /// True if a page has cells of an inner page of a table: a page number and a row ID each.
    private func isInnerTable(_ image: [UInt8], _ start: Int) -> Bool {
        let count = SalvagedPages.number(image, start + 3, 2)
        let places = start + 12
        guard places + 2 * count <= image.count, var bytes = Self.freeBytes(image, start, places + 2 * count),
            isPage(SalvagedPages.number(image, start + 8, 4))
        else { return false }
        bytes += places + 2 * count
        for index in 0..<count {
            let place = SalvagedPages.number(image, places + 2 * index, 2)
            guard place + 5 <= image.count, isPage(SalvagedPages.number(image, place, 4)) else { return false }
            let length = image[(place + 4)...].prefix(9).prefix { $0 & 0x80 != 0 }.count
            bytes += 4 + min(9, length + 1)
        }
        return bytes == image.count
    }

    private func isPage(_ number: Int) -> Bool { number > 1 && number <= pages.count && !pages.free.contains(number) }

    /// The bytes of a page that no cell uses; nil if the list of them is damaged.
    private static func freeBytes(_ image: [UInt8], _ start: Int, _ end: Int) -> Int? {
        var content = SalvagedPages.number(image, start + 5, 2)
        if content == 0 { content = 65_536 }
        guard content >= end, content <= image.count else { return nil }
        var free = content - end + Int(image[start + 7])
        var block = SalvagedPages.number(image, start + 1, 2)
        while block != 0 {
            let size = SalvagedPages.number(image, block + 2, 2)
            guard block >= content, size >= 4, block + size <= image.count else { return nil }
            free += size
            let next = SalvagedPages.number(image, block, 2)
            guard next == 0 || next > block else { return nil }
            block = next
        }
        return free
    }

    /// Takes each row of a damaged page whose sum is right, wherever it begins. A row with overflow pages is left out:
    /// each offset of the page would follow them.
    private mutating func search(_ image: [UInt8]) {
        for place in 0..<max(0, image.count - 4) {
            for tree in [SalvagedRecord.TreeKind.table, .index] {
                if let record = SalvagedRecord(image, at: place, in: tree, page: { _ in nil }) {
                    _ = take(record, isSearched: true)
                }
            }
        }
    }

    // MARK: Rows

    /// Takes a row. Returns false if it is none of any table. A row that is searched for counts only with its sum.
    private mutating func take(_ record: SalvagedRecord, isSearched: Bool = false, isUnused: Bool = false) -> Bool {
        let values = record.values
        let isTrusted = !isSearched && !isUnused
        if values.first == .null {
            switch values.count {
            case 1:
                if isTrusted { marked.append(record.row) }
                return true
            case 2: return values[1].integer != nil
            case 3: return takeAlarmOrDeletion(record, isTrusted: isTrusted)
            case 4...6:
                if let name = values[1].text { return takeSpace(record, name, isTrusted: isTrusted) }
                return values.count == 6 && values[1].integer != nil && values[4].bytes != nil
            case 7...9:
                return values[2].bytes == nil
                    ? takeRun(values, isTrusted: isTrusted, isUnused: isUnused)
                    : takeAnswer(values, isTrusted: isTrusted)
            default: return false
            }
        }
        switch values.count {
        case 2:
            // The index of names, or a row of `meta`, or an index of numbers.
            if isTrusted, let name = values[0].text.flatMap({ SpaceName($0) }), let id = values[1].integer, id > 0,
                !["epoch", "history", "first", "era", "life", "proof", "erased", "room"].contains(name.description)
            {
                indexedNames[id] = name
            }
            return values[0].bytes != nil || values[0].integer != nil
        case 3: return values[0].integer != nil
        case 4: return values[0].integer != nil && values[1].integer != nil
        case 5 where values[0].bytes != nil && values[4].bytes != nil || values[0].bytes != nil && values[4] == .null:
            // The schema.
            if values[1].text == "places" { hasPlaces = true }
            return true
        case 5, 6: return isUnused ? true : takeState(values, isTrusted: isTrusted)
        case 7: return isUnused ? true : takePast(values, isTrusted: isTrusted)
        default: return false
        }
    }

    private mutating func takeSpace(_ record: SalvagedRecord, _ text: String, isTrusted: Bool) -> Bool {
        let values = record.values
        guard let snapshot = values[2].integer, let oldest = values[3].integer else { return false }
        let sum = values.count > 4 ? values[4].integer : nil
        let past = values.count > 5 ? values[5].integer ?? 0 : 0
        guard isTrusted || sum == SpaceHead.sum(record.row, text) else { return false }
        spaces[record.row, default: SalvagedSpace()].head = SpaceHead(
            id: record.row, version: 0, snapshot: snapshot, oldest: oldest, past: past)
        if let name = SpaceName(text), sum.map({ $0 == SpaceHead.sum(record.row, text) }) ?? true {
            spaces[record.row]?.name = name
        } else if let sum {
            doubtfulNames.append((record.row, text, sum))
        }
        return true
    }

    private mutating func takeRun(_ values: [SalvagedRecord.Value], isTrusted: Bool, isUnused: Bool) -> Bool {
        guard let space = values[1].integer, let first = values[2].integer, let last = values[3].integer,
            let text = values[4].bytes, values[5] == .null || values[5].bytes != nil, values[6].isIntegerOrNull
        else { return false }
        var predecessor: CommitBatch.Predecessor?
        if values.count == 9, let space = values[7].integer, let last = values[8].integer {
            predecessor = CommitBatch.Predecessor(space: space, last: last)
        }
        let run = SalvagedSpace.Run(
            first: first, last: last, text: text, leaves: values[5].bytes, predecessor: predecessor,
            sum: values[6].integer)
        guard (try? run.batch(of: .common, at: "")) != nil, isTrusted || run.sum != nil else {
            if isTrusted {
                lose(
                    space, "runs", nil, "the row is not as it was written",
                    versions: first > 0 && first <= last ? first...last : nil)
            }
            return isTrusted
        }
        guard wanted?.contains(space) ?? true else { return noteVersion(last, of: space, isUnused) }
        if isUnused {
            spaces[space, default: SalvagedSpace()].unusedRuns.append(run)
        } else {
            spaces[space, default: SalvagedSpace()].runs.append(run)
        }
        return true
    }

    /// The newest version of each space that is not wanted.
    private(set) var newest: [Int: Int] = [:]

    private mutating func noteVersion(_ version: Int, of space: Int, _ isUnused: Bool) -> Bool {
        if !isUnused { newest[space] = max(newest[space] ?? 0, version) }
        return true
    }

    private mutating func takeAnswer(_ values: [SalvagedRecord.Value], isTrusted: Bool) -> Bool {
        guard values.count == 8, let space = values[1].integer, let key = values[2].text,
            let fingerprint = values[3].integer, let version = values[4].integer, let changed = values[5].bytes,
            let at = values[6].integer, values[7].isIntegerOrNull
        else { return false }
        let sum = values[7].integer
        let row = try? AnswerRow(
            key: key, fingerprint: fingerprint, version: version, changed: changed, at: at, sum: sum, of: .common,
            in: "")
        guard row != nil, isTrusted || sum != nil else {
            if isTrusted {
                lose(space, "answers", key, "the row is not as it was written", versions: version...version)
            }
            return isTrusted
        }
        if wanted?.contains(space) ?? true {
            spaces[space, default: SalvagedSpace()].answers.append(
                SalvagedSpace.SavedAnswer(
                    key: key, fingerprint: fingerprint, version: version, changed: changed, at: at, sum: sum))
        }
        return true
    }

    private mutating func takeState(_ values: [SalvagedRecord.Value], isTrusted: Bool) -> Bool {
        guard let space = values[0].integer, let variable = values[1].text, let entry = values[2].bytes,
            let value = values[3].bytes, values[4].isIntegerOrNull, values.count == 5 || values[5].isIntegerOrNull
        else { return false }
        let since = values.count == 6 ? values[5].integer : nil
        return take(
            SalvagedSpace.ValueRow(variable: variable, entry: entry, value: value, since: since, until: nil),
            sum: values[4].integer, of: space, isTrusted: isTrusted)
    }

    private mutating func takePast(_ values: [SalvagedRecord.Value], isTrusted: Bool) -> Bool {
        guard let space = values[0].integer, let variable = values[1].text, let entry = values[2].bytes,
            let until = values[3].integer, values[4].isIntegerOrNull, let value = values[5].bytes,
            values[6].isIntegerOrNull
        else { return false }
        return take(
            SalvagedSpace.ValueRow(
                variable: variable, entry: entry, value: value, since: values[4].integer, until: until),
            sum: values[6].integer, of: space, isTrusted: isTrusted)
    }

    private mutating func take(_ row: SalvagedSpace.ValueRow, sum: Int?, of space: Int, isTrusted: Bool) -> Bool {
        let read = try? StateRow(
            variable: row.variable, entry: row.entry, value: row.value, since: row.since, sum: sum, until: row.until,
            of: .common, at: "")
        let table = row.until == nil ? "state" : "past"
        guard read != nil, isTrusted || sum != nil else {
            if isTrusted {
                spaces[space, default: SalvagedSpace()].lacksRows = true
                let version = row.until ?? row.since
                lose(
                    space, table, row.key.text, "the row is not as it was written", versions: version.map { $0...$0 })
            }
            return isTrusted
        }
        if wanted?.contains(space) ?? true {
            if row.until == nil {
                spaces[space, default: SalvagedSpace()].state.append(row)
            } else {
                spaces[space, default: SalvagedSpace()].past.append(row)
            }
        }
        return true
    }

    private mutating func takeAlarmOrDeletion(_ record: SalvagedRecord, isTrusted: Bool) -> Bool {
        let values = record.values
        if let text = values[1].text {
            if let name = SpaceName(text), values[2].integer == SpaceHead.sum(record.row, text) { deleted.insert(name) }
            return values[2].isIntegerOrNull
        }
        guard let at = values[1].integer, values[2].isIntegerOrNull else { return false }
        let sum = values[2].integer
        if sum == SpaceHead.sum(ofAlarm: at, of: record.row) || sum == nil && isTrusted {
            spaces[record.row, default: SalvagedSpace()].alarm = at
        } else if isTrusted {
            doubtfulAlarms.append((record.row, at))
        }
        return true
    }

    // MARK: The end

    /// The forgotten spaces whose rows are not erased yet.
    private(set) var forgotten: Set<Int> = []

    /// Gives runs of an unknown ID to the space that lacks their versions, if one bit makes the difference: the sum of
    /// a run does not have the ID.
    mutating func assignStrays(_ damaged: Set<Int>) {
        for id in spaces.keys.sorted() where spaces[id]?.head == nil && spaces[id]?.name == nil {
            for run in spaces[id]?.runs ?? [] {
                let owners = damaged.filter { owner in
                    owner != id && spaces[owner]?.head != nil && (owner ^ id).nonzeroBitCount == 1
                        && !(spaces[owner]?.runs.contains { $0.first <= run.last && run.first <= $0.last } ?? true)
                }
                guard owners.count == 1, let owner = owners.first else { continue }
                spaces[owner]?.runs.append(run)
                spaces[id]?.runs.removeAll { $0.first == run.first && $0.last == run.last }
            }
        }
    }

    private mutating func lose(
        _ space: Int?, _ table: String?, _ key: String?, _ reason: String, versions: ClosedRange<Int>? = nil
    ) {
        let loss = RepairReport.Loss(
            space: space.flatMap { spaces[$0]?.name }, table: table, versions: versions, key: key, reason: reason)
        guard let space else { return losses.append(loss) }
        spaces[space, default: SalvagedSpace()].losses.append(loss)
    }

    /// The names that differ from a text by one bit.
    private static func neighbors(of text: String) -> [SpaceName?] {
        let bytes = Array(text.utf8)
        return bytes.indices.flatMap { place in
            (0..<8).map { bit in
                var other = bytes
                other[place] ^= 1 << bit
                return SpaceName(String(decoding: other, as: UTF8.self))
            }
        }
    }

    /// Finds names, and the spaces of rows without a sum.
    private mutating func settle() {
        for (id, space) in spaces where space.name == nil { spaces[id]?.name = indexedNames[id] }
        for (id, text, sum) in doubtfulNames {
            let names = ([indexedNames[id]] + Self.neighbors(of: text)).compactMap(\.self)
            spaces[id]?.name = names.first { SpaceHead.sum(id, $0.description) == sum } ?? SpaceName(text)
            lose(id, "spaces", text, "the row is not as it was written; the space had another name")
        }
        for id in marked {
            if spaces[id]?.head == nil { forgotten.insert(id) } else { spaces[id]?.hasWork = true }
        }
        for (id, _) in doubtfulAlarms where spaces[id] != nil && !hasPlaces {
            lose(id, "alarms", nil, "the row is not as it was written; the space wakes at once")
            spaces[id]?.alarm = 0
        }
    }
}
