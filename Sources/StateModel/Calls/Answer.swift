/// The answer to a call that was performed.
public struct Answer: Sendable {
    /// The version of the space after the action.
    public let version: Int
    /// The variables that the action changed.
    public let changed: [String]
    /// The value that the action answers, as JSON; empty for none.
    public let result: [UInt8]
    /// The requested views at that version; in a repeated answer, the current ones.
    package let views: ViewFrames
    /// The moment of `views`.
    package let moment: Moment
    /// True if an earlier call with the same idempotency key performed the action.
    public let isReplay: Bool
    /// True if the action has changed what is in memory only.
    package var isUnkept = false
    /// The steps and the rows that the action of a document used, for administrators; 0 for a feature in Swift.
    package var used = (steps: 0, rows: 0)

    /// An answer with views of one moment.
    package init(
        version: Int, changed: [String], result: [UInt8], views: ViewFrames, moment: Moment, isReplay: Bool,
        isUnkept: Bool = false
    ) {
        (self.version, self.changed, self.result, self.views) = (version, changed, result, views)
        (self.moment, self.isReplay, self.isUnkept) = (moment, isReplay, isUnkept)
    }
}

extension Answer {
    /// An answer without views, as another node of a cluster has given it.
    package init(version: Int, changed: [String], result: [UInt8], isReplay: Bool) {
        self.init(
            version: version, changed: changed, result: result, views: [],
            moment: Moment(version: version, common: 0), isReplay: isReplay)
    }

    /// Returns the answer of a rehearsal: with the version that the commit would have made, and without views.
    package func rehearsed(at version: Int) -> Answer {
        Answer(
            version: version, changed: changed, result: result, views: [], moment: moment, isReplay: false,
            isUnkept: isUnkept)
    }

    /// The value that the action answers, as JSON text; nil for none.
    public var resultText: String? { result.isEmpty ? nil : String(decoding: result, as: UTF8.self) }
}

extension Answer: CustomStringConvertible, CustomReflectable {
    /// The version, what changed, and the value: `version 3, changed board.notes, result "01jd…"`.
    public var description: String {
        var text = "version \(version)"
        if !changed.isEmpty { text += ", changed \(changed.joined(separator: ", "))" }
        if let resultText { text += ", result \(resultText)" }
        return isReplay ? text + ", a repeat" : text
    }

    /// What `description` says.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "version": version, "changed": changed, "result": resultText as Any, "isReplay": isReplay,
            ], displayStyle: .struct)
    }
}
