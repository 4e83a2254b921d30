/// The columns of one cell of a page (sqlite.org/fileformat2.html, 1.6 and 2.1).
struct SalvagedRecord {
    /// The value of a column. A text and a blob are equal: their bytes are.
    enum Value: Hashable {
        case null
        case integer(Int)
        case bytes([UInt8])
        /// A floating-point number, which no table has.
        case other

        var integer: Int? { if case .integer(let number) = self { number } else { nil } }
        var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
        var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
        /// True for a number or NULL.
        var isIntegerOrNull: Bool { self == .null || integer != nil }
    }

    /// The kind of the page that has the cell.
    enum TreeKind {
        /// A leaf of a table with row IDs.
        case table
        /// A leaf of an index, or of a table without row IDs.
        case index
        /// An inner page of an index, whose cells begin with a page number.
        case innerIndex
    }

    /// The row ID; 0 in an index.
    let row: Int
    let values: [Value]
    /// The bytes that the cell takes on its page.
    let size: Int
    /// The pages that have the rest of the cell.
    let overflow: [Int]

    /// Reads the cell at a place of a page. `page` returns the image of another page. Nil if there is no such cell.
    init?(_ image: [UInt8], at place: Int, in tree: TreeKind, page: (Int) -> [UInt8]?) {
        var place = place
        let start = place
        if tree == .innerIndex { place += 4 }
        guard let payload = Self.variable(image, &place), (1...1_000_000_000).contains(payload) else { return nil }
        var row = 0
        if tree == .table {
            guard let number = Self.variable(image, &place) else { return nil }
            row = number
        }
        let local = Self.localBytes(payload, tree, image.count)
        guard place + local + (local < payload ? 4 : 0) <= image.count else { return nil }
        var content = Array(image[place..<place + local])
        place += local
        var overflow: [Int] = []
        if local < payload {
            var next = SalvagedPages.number(image, place, 4)
            place += 4
            while content.count < payload {
                guard next != 0, !overflow.contains(next), let image = page(next) else { return nil }
                overflow.append(next)
                let end = min(image.count, 4 + payload - content.count)
                content += image[4..<end]
                next = SalvagedPages.number(image, 0, 4)
            }
        }
        guard let values = Self.values(content) else { return nil }
        self.row = row
        self.values = values
        self.overflow = overflow
        // A cell takes at least four bytes.
        size = max(4, place - start)
    }

    /// The bytes of a payload that are on the page of the cell.
    private static func localBytes(_ payload: Int, _ tree: TreeKind, _ usable: Int) -> Int {
        let greatest = tree == .table ? usable - 35 : (usable - 12) * 64 / 255 - 23
        if payload <= greatest { return payload }
        let least = (usable - 12) * 32 / 255 - 23
        let rest = least + (payload - least) % (usable - 4)
        return rest <= greatest ? rest : least
    }

    /// The columns of a record; nil if its header does not fit its content.
    private static func values(_ record: [UInt8]) -> [Value]? {
        var place = 0
        guard let header = variable(record, &place), header >= place, header <= record.count else { return nil }
        var types: [Int] = []
        while place < header {
            guard let type = variable(record, &place), type >= 0 else { return nil }
            types.append(type)
        }
        guard place == header else { return nil }
        var values: [Value] = []
        for type in types {
            let count =
                switch type {
                case 0, 8, 9: 0
                case 1...4: type
                case 5: 6
                case 6, 7: 8
                case 10, 11: -1
                default: (type - 12) / 2
                }
            guard count >= 0, count <= record.count - place else { return nil }
            switch type {
            case 0: values.append(.null)
            case 8, 9: values.append(.integer(type - 8))
            case 7: values.append(.other)
            case 1...6:
                let first: Int = record[place] & 0x80 == 0 ? 0 : -1
                values.append(.integer(record[place..<place + count].reduce(first) { $0 << 8 | Int($1) }))
            default: values.append(.bytes(Array(record[place..<place + count])))
            }
            place += count
        }
        return place == record.count ? values : nil
    }

    /// A number of one to nine bytes.
    private static func variable(_ bytes: [UInt8], _ place: inout Int) -> Int? {
        var number: UInt64 = 0
        for index in 0..<9 {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            if index == 8 { return Int(truncatingIfNeeded: number << 8 | UInt64(byte)) }
            number = number << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return Int(truncatingIfNeeded: number) }
        }
        return nil
    }
}
