import StateModel

/// Checks of rules that compare with the subject of the caller. That of an anonymous caller is "", and so is that of a
/// token without one: a rule such as `state.owner == token.sub` lets them in wherever the owner is "".
enum SubjectChecks {
    /// The warnings of a document: one for each rule that compares with `token.sub` where nothing excludes "".
    static func warnings(of document: FeatureDocument) -> [DocumentFault] {
        let (read, act) = (document.rules.read, document.rules.act)
        var warnings: [DocumentFault] = []
        func check(_ rule: WrittenExpression?, beside other: WrittenExpression?) {
            guard let rule, compares(rule.text), !excludes(rule.text), !(other.map { excludes($0.text) } ?? false)
            else {
                return
            }
            warnings.append(
                DocumentFault(
                    "the rule compares with token.sub, which is \"\" for anonymous callers: add token.sub != ''",
                    at: rule.pointer))
        }
        check(read, beside: nil)
        check(act, beside: nil)
        check(document.rules.edit, beside: nil)
        for view in document.views { check(view.allow, beside: read) }
        for action in document.actions { check(action.allow, beside: act) }
        return warnings
    }

    private static let subject = "token.sub"

    /// Returns true if an expression compares the subject with something that may be "".
    static func compares(_ text: String) -> Bool {
        let text = String(text.filter { !$0.isWhitespace })
        var rest = text[...]
        while let range = rest.firstRange(of: subject) {
            let (before, after) = (text[..<range.lowerBound], rest[range.upperBound...])
            rest = after
            // Another member, such as token.subject.
            if let next = after.first, next.isLetter || next.isNumber || next == "_" {
                guard after.hasPrefix("in") else { continue }
            }
            if after.hasPrefix("==") { if !isFilled(after.dropFirst(2).prefix(2)) { return true } }
            if after.hasPrefix("in") { return true }
            if before.hasSuffix("==") { if !isFilled(before.dropLast(2).suffix(2)) { return true } }
        }
        return false
    }

    /// Returns true if two characters beside an operator belong to a literal that is not "".
    private static func isFilled(_ characters: Substring) -> Bool {
        guard characters.contains("'") || characters.contains("\"") else { return false }
        return characters != "''" && characters != "\"\""
    }

    /// Returns true if an expression excludes the subject "".
    static func excludes(_ text: String) -> Bool {
        let text = String(text.filter { !$0.isWhitespace })
        return [
            "token.sub!=''", "token.sub!=\"\"", "''!=token.sub", "\"\"!=token.sub", "size(token.sub)>0",
            "token.sub.size()>0", "size(token.sub)!=0", "token.sub.size()!=0",
        ].contains { text.contains($0) }
    }
}
