import Hosting
import Documents
import JSON
import StateStore
import Testing

@testable import HeadwaterServer

/// The first apps of `headwater dev`, and the code that `headwater generate` writes for them.
@Suite struct StarterTests {
    @Test(arguments: Starter.allCases) func `the document of each starter is good, and its tests pass`(
        _ starter: Starter
    ) throws {
        let folder = try SiteFolder()
        try folder.write("app.json", starter.document)
        let report = DirectoryReport(
            try DocumentDirectory(folder.path), beside: try Registry([]), runsTests: true)
        #expect(report.isGood && !report.text.contains("SKIP"), "\(report.text)")
        #expect(!report.text.contains("# app.json"), "\(report.text)")
    }

    @Test func `an empty directory gets the files of a starter, and any other stays as it is`() throws {
        let folder = try SiteFolder()
        let place = "\(folder.path)/app"
        let command = try DevelopmentCommand([place, "--starter", "list", "--port", "0"], hasExamples: true)
        #expect(command.arguments.suffix(2) == ["--port", "0"] && command.arguments.contains("--memory"))
        try command.prepare()
        let directory = try DocumentDirectory(place)
        #expect(directory.files.map(\.feature) == ["list"])
        #expect(throws: CommandFault.self) { try DevelopmentCommand(["--starter", "none"], hasExamples: false) }
        #expect(throws: CommandFault.self) { try DevelopmentCommand([place, "--site", "x"], hasExamples: false) }
        try folder.write("app/app.json", "{}")
        try command.prepare()
        #expect(throws: DocumentDirectory.UnreadableDirectory.self) { try DocumentDirectory(place) }
    }

    @Test func `a save shows in the digest of the files, and hidden files do not`() throws {
        let folder = try SiteFolder()
        try folder.write("app.json", "{}")
        let first = DirectoryWatch.digest(of: folder.path)
        try folder.write(".hidden", "x")
        #expect(DirectoryWatch.digest(of: folder.path) == first)
        try folder.write("app.json", "{ }")
        let second = DirectoryWatch.digest(of: folder.path)
        #expect(second != first)
        try folder.makeFolder("inner")
        try folder.write("inner/a.js", "1")
        #expect(DirectoryWatch.digest(of: folder.path) != second)
    }

    @Test func `the model has each record once, inputs apart from outputs, and decimals`() throws {
        let features: JSON = [
            [
                "name": "shop",
                "actions": [
                    [
                        "name": "order",
                        "parameters": [
                            "type": "object",
                            "properties": [
                                "id": ["type": "string"], "count": ["type": "integer", "default": 1],
                                "note": ["type": ["string", "null"]],
                            ], "required": ["id"],
                        ],
                    ]
                ],
                "views": [
                    ["name": "orders", "value": ["type": "array", "items": Self.order]],
                    ["name": "last", "value": ["anyOf": [Self.order, ["type": "null"]]]],
                    [
                        "name": "card", "value": ["enum": ["red", "blue"]],
                        "parameters": [
                            "type": "object", "properties": ["id": ["type": "string"]], "required": ["id"],
                        ],
                    ],
                ],
            ]
        ]
        guard case .array(let list) = features else { return }
        let model = TypeModel(list)
        #expect(model.records.map(\.name) == ["ShopOrdersItem"])
        let script = TypeScriptCode(model: model).text
        for part in [
            "'shop.orders'".replacing("'", with: "\"") + ": ReadonlyArray<ShopOrdersItem>;",
            "\"shop.last\": ShopOrdersItem | null;", "\"shop.card\": ShopCard;",
            "export type ShopCard = \"red\" | \"blue\";",
            "readonly id: string;", "readonly count?: number;", "readonly note?: string | null;",
            "\"shop.card\": { readonly id: string };", "input: ShopOrderInput; result: null",
        ] { #expect(script.contains(part), "\(part)\n\(script)") }
        let python = PythonCode(model: model).text
        #expect(python.contains("\"price\": \"Union[int, Decimal]\"") && python.contains("NotRequired[int]"))
        let swift = SwiftCode(model: model).text
        #expect(swift.contains("public var `price`: Decimal") && swift.contains("public var `count`: Int?"))
        #expect(TypeModel(Array(list.dropFirst())).hash != model.hash)
    }

    private static let order: JSON = [
        "type": "object",
        "properties": [
            "id": ["type": "string"], "price": ["type": "number", "format": "decimal"],
            "state": ["type": "string", "default": "new"],
        ], "required": ["id", "price"], "additionalProperties": false,
    ]
}
