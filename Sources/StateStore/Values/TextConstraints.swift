import Expressions
public import JSON

extension Constraint where Value == String {
    /// A string in which a pattern matches: the syntax of RE2, anywhere in the string unless `^` and `$` bind it. Matching
    /// takes linear time, whatever the string is. Precondition: the pattern is valid.
    ///
    ///     $0.required(\.plate, .matching("^[A-Z]{1,3}-[0-9]{1,4}$", "must be a number plate"))
    public static func matching(_ pattern: String, _ demand: String? = nil) -> Constraint {
        let compiled: TextPattern
        do throws(EvaluationFailure) {
            compiled = try TextPattern(pattern)
        } catch {
            preconditionFailure("the constraint \(pattern): \(error)")
        }
        return Constraint(
            demand ?? "must match the pattern \(pattern)", keywords: [("pattern", .string(pattern))]
        ) { text in
            // A text for which the pattern takes too long does not match.
            (try? compiled.matches(text)) == true ? text : nil
        }
    }

    /// A UUID in lower-case letters: `0b8e1b0c-1d3c-4c52-9a5b-3f0c2f3b7a10`.
    public static var uuid: Constraint {
        matching(
            "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", "must be a UUID in lower-case letters"
        ).with(format: "uuid")
    }

    /// A day of the calendar: `2026-11-21`.
    public static var date: Constraint {
        Constraint("must be a date such as 2026-11-21", keywords: [("format", "date")]) { text in
            text.utf8.count == 10 && Timestamp(text + "T00:00:00Z") != nil ? text : nil
        }
    }

    /// An address of e-mail, of at most 254 bytes: one `@` between a name and a domain with a dot. Only a message to it
    /// proves that there is one.
    public static var email: Constraint {
        let address = matching(#"^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$"#, "must be an e-mail address")
            .with(format: "email")
        return Constraint(address.demand, keywords: address.keywords) { text in
            text.utf8.count <= 254 ? address.accept(text) : nil
        }
    }

    /// A URL of the scheme `https` or `http`, of at most 2,000 bytes.
    public static var webAddress: Constraint {
        let address = matching(#"^https?://[^\s/?#]+[^\s]*$"#, "must be a URL that begins with https:// or http://")
            .with(format: "uri")
        return Constraint(address.demand, keywords: address.keywords) { text in
            text.utf8.count <= 2_000 ? address.accept(text) : nil
        }
    }

    private func with(format: String) -> Constraint {
        Constraint(demand, keywords: [("format", .string(format))] + keywords, accept: accept)
    }
}

extension Constraint {
    /// A list with a number of elements in a range.
    public static func count<Element>(_ range: ClosedRange<Int>) -> Constraint where Value == [Element] {
        Constraint(
            "must have \(range.lowerBound) to \(range.upperBound) elements",
            keywords: [
                ("minItems", .number(Decimal(range.lowerBound))), ("maxItems", .number(Decimal(range.upperBound))),
            ]
        ) { range.contains($0.count) ? $0 : nil }
    }

    /// A list whose elements all satisfy a constraint.
    public static func each<Element: SchemaProviding>(
        _ constraint: Constraint<Element>
    ) -> Constraint where Value == [Element] {
        var items = JSON.Object()
        if case .object(let object) = Element.schema { items = object }
        for (keyword, value) in constraint.keywords { items[keyword] = value }
        return Constraint("must be a list of which each \(constraint.demand)", keywords: [("items", .object(items))]) {
            var accepted: [Element] = []
            accepted.reserveCapacity($0.count)
            for element in $0 {
                guard let element = constraint.accept(element) else { return nil }
                accepted.append(element)
            }
            return accepted
        }
    }

    /// A value that satisfies this constraint and then another.
    public func and(_ other: Constraint) -> Constraint {
        Constraint("\(demand), and \(other.demand)", keywords: keywords + other.keywords) { [accept] value in
            accept(value).flatMap { other.accept($0) }
        }
    }
}

extension Constraint where Value == Decimal {
    /// A number in a closed range.
    public static func from(_ range: ClosedRange<Decimal>) -> Constraint {
        Constraint(
            "must be from \(range.lowerBound) to \(range.upperBound)",
            keywords: [("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound))]
        ) { range.contains($0) ? $0 : nil }
    }
}
