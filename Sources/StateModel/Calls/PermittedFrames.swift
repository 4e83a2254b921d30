/// The values of a watch as its reader receives them: while the rules of the permit are true.
package final class PermittedFrames {
    private let permit: ReadPermit
    private var answers = RuleAnswers()
    /// The newest value of each view, by its name in the store.
    private var newest: [ViewKey: Frame] = [:]
    /// True if the rules were true with the last values; nil before the first.
    private var isOpen: Bool?

    package init(_ permit: ReadPermit) {
        self.permit = permit
    }

    /// Takes values of one moment. Returns those that the reader receives, or that it may not read any more; nil if it
    /// learns nothing new. A reader that may read again receives all values.
    package func take(_ frames: ViewFrames) -> Result<ViewFrames, Refusal>? {
        answers.note(frames)
        for (name, frame) in frames where name.kind != .rule { newest[name] = frame }
        let wasOpen = isOpen
        // The rule of a view goes with the view.
        if let view = permit.forbidden(by: answers, isGone: { newest[$0]?.isGone ?? false }) {
            isOpen = false
            return wasOpen == false ? nil : .failure(.forbidden(view: view))
        }
        isOpen = true
        guard wasOpen == false else {
            let shown = permit.shown(frames)
            return shown.isEmpty && wasOpen != nil ? nil : .success(shown)
        }
        return .success(permit.shown(permit.sources.compactMap { name in newest[name].map { (name, $0) } }))
    }
}
