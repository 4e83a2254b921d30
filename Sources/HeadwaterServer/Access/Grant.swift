import Expressions
import JSON

/// A right that the claims of a JSON Web Token give: `EXPRESSION => RIGHT, PATTERN…`.
///
///     token.realm_access.roles.exists(r, r == 'editor') => act, docs-*
struct Grant: Sendable {
    /// The greatest number of grants.
    static let countLimit = 100

    private let expression: Expression
    let permission: Permissions.Permission

    /// Parses a grant, which is split at the last `=>`.
    init(_ text: String) throws(CommandFault) {
        guard let arrow = text.ranges(of: "=>").last else {
            throw CommandFault("a grant reads 'EXPRESSION => RIGHT, PATTERN…', and \"\(text)\" has no =>")
        }
        let parts = text[arrow.upperBound...].split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].trimmed
        guard let right = Right(name) else {
            throw CommandFault("a grant gives the right read, act or admin, not \"\(name)\"")
        }
        let words = parts.count == 2 ? parts[1].split(whereSeparator: \.isWhitespace) : []
        guard !words.isEmpty else {
            throw CommandFault("a grant has patterns of spaces after the right and a comma, such as \"\(right), *\"")
        }
        var patterns: [SpacePattern] = []
        for word in words {
            guard word.utf8.allSatisfy(Self.isOfPattern) else {
                throw CommandFault("\"\(word)\" is no pattern of spaces: separate patterns by spaces")
            }
            patterns.append(try SpacePattern(word))
        }
        permission = Permissions.Permission(right: right, patterns: patterns)
        do throws(ExpressionFault) {
            expression = try Expression(String(text[..<arrow.lowerBound].trimmed), names: ["token"])
        } catch {
            throw CommandFault("the expression of the grant \"\(text)\" is not valid: \(error)")
        }
    }

    /// Returns true if the expression is true for the claims. An expression that fails is false.
    func holds(for claims: JSON) -> Bool {
        do throws(EvaluationFailure) {
            return try expression.evaluate(claims) == .bool(true)
        } catch {
            return false
        }
    }

    private static func isOfPattern(_ byte: UInt8) -> Bool {
        switch byte {
        case 65...90, 97...122, 48...57: true
        default: "*.-_".utf8.contains(byte)
        }
    }
}

extension Substring {
    /// The text without white space around it.
    fileprivate var trimmed: Substring {
        let rest = drop(while: \.isWhitespace)
        return rest.lastIndex { !$0.isWhitespace }.map { rest[...$0] } ?? ""
    }
}
