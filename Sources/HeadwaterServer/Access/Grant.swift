import Expressions
import JSON
import StateStore

/// Rights that the claims of a JSON Web Token give: `EXPRESSION => RIGHT, PATTERN…`, with a comma after each right.
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
        do throws(PermissionFault) {
            permission = try Self.permission(text[arrow.upperBound...])
        } catch {
            throw CommandFault("the grant \"\(text)\" is not valid: \(error)")
        }
        do throws(ExpressionFault) {
            expression = try Expression(String(text[..<arrow.lowerBound].trimmed), names: ["token"])
        } catch {
            throw CommandFault("the expression of the grant \"\(text)\" is not valid: \(error)")
        }
    }

    /// Parses the rights and the patterns.
    static func permission(_ text: Substring) throws(PermissionFault) -> Permissions.Permission {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let rights = try Rights(names: parts.dropLast(parts.count > 1 ? 1 : 0).map(\.trimmed))
        let words = parts.count > 1 ? parts[parts.count - 1].split(whereSeparator: \.isWhitespace) : []
        guard !words.isEmpty else {
            throw PermissionFault("patterns of spaces follow the rights and a comma, such as \"\(rights), *\"")
        }
        var patterns: [SpacePattern] = []
        for word in words {
            guard word.utf8.allSatisfy(isOfPattern) else {
                throw PermissionFault("\"\(word)\" is no pattern of spaces: separate patterns by spaces")
            }
            patterns.append(try SpacePattern(word))
        }
        return Permissions.Permission(rights, in: patterns)
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
