import Expressions
import JSON

/// The parts of a schema while it is read.
struct SchemaParts {
    var reference: (name: String, schema: ValueSchema)?
    var kinds: Set<SchemaKind>?
    var properties: [ValueSchema.Property] = []
    var required: [String] = []
    var additional = ValueSchema.Additional.anything
    var items: ValueSchema?
    var choices: [JSON]?
    var constant: JSON?
    var numbers = NumberRules()
    var texts = TextRules()
    var lists = ListRules()
    var format: SchemaFormat?
    var defaultValue: JSON?
    var isPrivate = false
    var was: String?
    /// The branches of `oneOf`, and those that its discriminator tells apart.
    var branches: [ValueSchema] = []
    var union: SchemaUnion?
    /// The schema beside null, of `anyOf`.
    var nullable: ValueSchema?
}

/// The rules for numbers.
struct NumberRules: Equatable, Sendable {
    var minimum: Decimal?
    var maximum: Decimal?
    var exclusiveMinimum: Decimal?
    var exclusiveMaximum: Decimal?
    var multipleOf: Decimal?
}

/// The rules for texts. Lengths count Unicode code points.
struct TextRules: Sendable {
    var least: Int?
    var most: Int?
    var pattern: TextPattern?
}

/// The rules for lists.
struct ListRules: Equatable, Sendable {
    var least: Int?
    var most: Int?
    var isUnique = false
}
