import CSQLite
import Documents
import Hosting
import JSON
import ServerReads
import StateStore

/// The titles of 100,000 tasks, and what somebody types to find some of them.
private enum Titles {
    static let count = 100_000

    /// Few words are frequent, and most are rare.
    private static let vocabulary: [String] = {
        let syllables = [
            "ka", "re", "mo", "ti", "su", "pla", "gre", "shi", "nor", "ba", "del", "vi", "oc", "un", "fre", "ste",
        ]
        return (0..<16_384).map { number in
            let bits = number * 7919
            return (0..<2 + number % 3).map { place in syllables[(bits >> (4 * place)) & 15] }.joined()
        }
    }()

    private static func word(_ number: Int) -> String {
        let scattered = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 >> 40
        // The bits decide how many of the words may come.
        let size = 16 << (scattered & 7 + scattered >> 3 & 3)
        return vocabulary[Int(scattered >> 5) % min(size, vocabulary.count)]
    }

    static func title(_ number: Int) -> String {
        (0..<3 + number % 5).map { word(number * 8 + $0) }.joined(separator: " ")
    }

    /// The places of the tasks in their list, which is another order than that of their keys.
    static func order(_ number: Int) -> Int { number * 61_843 % 100_003 }

    /// The first one to four letters of a word, in every third text behind a whole word.
    static func typed(_ number: Int) -> String {
        let beginning = String(word(number &* 31).prefix(1 + number & 3))
        return number % 3 == 0 ? "\(word(number &* 17)) \(beginning)" : beginning
    }
}

private let document: JSON = [
    "feature": "tracker", "home": "space",
    "state": [
        "tasks": [
            "table": [
                "key": ["type": "string"],
                "row": [
                    "type": "object",
                    "properties": ["title": ["type": "string"], "order": ["type": "integer"]],
                    "required": ["title", "order"],
                ],
            ],
            "indexes": ["words": ["search": ["row.title"]]],
        ]
    ],
    "actions": [
        "add": [
            "input": [
                "type": "object",
                "properties": [
                    "tasks": [
                        "type": "array",
                        "items": [
                            "type": "object",
                            "properties": [
                                "id": ["type": "string"], "title": ["type": "string"], "order": ["type": "integer"],
                            ],
                            "required": ["id", "title", "order"],
                        ],
                    ]
                ],
                "required": ["tasks"],
            ],
            "do": [
                [
                    "each": "input.tasks", "as": "it",
                    "do": [["put": "tasks", "key": "it.id", "row": "{'title': it.title, 'order': it.order}"]],
                ]
            ],
        ]
    ],
    "views": [
        "found": [
            "parameters": ["words": ["type": "string", "maxLength": 100]],
            "from": "tasks", "search": ["index": "words", "for": "input.words"], "sort": "row.order", "limit": 20,
            "select": "{'id': key, 'title': row.title}",
        ]
    ],
]

/// Finds tasks with the search of a document.
private func searchOfADocument() -> (Int) -> Void {
    guard case .success(let feature)? = FeatureCompiler().compile(["tracker": document], beside: [:])["tracker"] else {
        preconditionFailure("the document of the search has faults")
    }
    let stores = Stores.inline(
        sure { () throws(RegistrationFault) in try Registry([]).describing([DeployedFeature(feature)]) })
    let space = SpaceName("main")!
    for first in stride(from: 0, to: Titles.count, by: 1_000) {
        let tasks = (first..<first + 1_000).map {
            #"{"id":"\#($0)","title":"\#(Titles.title($0))","order":\#(Titles.order($0))}"#
        }
        let input = Array(#"{"tasks":[\#(tasks.joined(separator: ","))]}"#.utf8)
        stores[0].perform(Call(feature: "tracker", action: "add", input: input), in: space) { result in
            _ = sure { try result.get() }
        }
    }
    return { number in
        var isAnswered = false
        let typed = Titles.typed(number).replacing(" ", with: "%20")
        stores[0].read(["tracker.found?words=\(typed)"], in: space) { snapshot in
            isAnswered = sure { try snapshot.get() }.moment.version == Titles.count / 1_000
        }
        guard isAnswered else { preconditionFailure("the search did not answer") }
    }
}

/// Finds them with the full-text index of SQLite, in memory, with an index for beginnings of each length that is typed.
private final class SearchOfSQLite {
    private var database: OpaquePointer?
    private var statement: OpaquePointer?

    init() {
        sqlite3_open(":memory:", &database)
        run("CREATE TABLE tasks (id INTEGER PRIMARY KEY, title TEXT, place INTEGER)")
        run(
            """
            CREATE VIRTUAL TABLE words USING fts5(
                title, content = tasks, content_rowid = id, prefix = '1 2 3 4',
                tokenize = 'unicode61 remove_diacritics 2')
            """)
        run("BEGIN")
        for number in 0..<Titles.count {
            run("INSERT INTO tasks VALUES (\(number), '\(Titles.title(number))', \(Titles.order(number)))")
            run("INSERT INTO words (rowid, title) VALUES (\(number), '\(Titles.title(number))')")
        }
        run("COMMIT")
        run("INSERT INTO words (words) VALUES ('optimize')")
        let sql =
            "SELECT id, tasks.title FROM words JOIN tasks ON id = words.rowid WHERE words MATCH ? "
            + "ORDER BY place LIMIT 20"
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { preconditionFailure(sql) }
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close(database)
    }

    func find(_ typed: String) {
        Array("\(typed)*".utf8).withUnsafeBytes { text in
            // The text outlives the statement's execution.
            _ = sqlite3_bind_text(
                statement, 1, text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
            var length: Int32 = 0
            while sqlite3_step(statement) == SQLITE_ROW { length += sqlite3_column_bytes(statement, 1) }
            sqlite3_reset(statement)
        }
    }

    private func run(_ sql: String) {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { preconditionFailure(sql) }
    }
}

let searchComparisons = MeasurementGroup(
    name: "search",
    comparisons: [
        Comparison(
            name: "a keystroke over 100,000 rows, beside SQLite's", allowed: 0.6, operations: 50,
            ours: searchOfADocument,
            limit: {
                let search = SearchOfSQLite()
                return { search.find(Titles.typed($0)) }
            })
    ])
