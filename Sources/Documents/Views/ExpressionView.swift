import Expressions
import Ground
import JSON
import Reactive
import StateModel

/// A view of one expression. It never changes, and all spaces share it.
final class ExpressionView: Sendable {
    let formula: CompiledFormula
    /// The names of the state, in the order of the space's.
    let labels: [String]
    /// The views that it reads: their names in expressions, and as `feature.view`.
    let views: [(label: String, name: String)]
    /// The indexes that it reads.
    let indexes: [StateIndex]
    /// The private parts that are null for it.
    let hidden: HiddenParts
    /// The text of the expression.
    let text: String
    /// The seconds of the grain in which it reads the time; nil if it does not.
    let every: Int?

    init(
        _ formula: CompiledFormula, _ labels: [String], views: [(label: String, name: String)],
        indexes: [StateIndex] = [], text: String = "", every: Int? = nil, hiding hidden: HiddenParts = HiddenParts()
    ) {
        (self.formula, self.labels, self.views, self.hidden) = (formula, labels, views, hidden)
        self.text = text
        self.every = formula.reads.contains { $0.name == "now" } ? every : nil
        let read = formula.indexes
        self.indexes = indexes.filter { read.contains($0.index.name) }
    }

    /// Returns the view in a space. It is computed again when something changed that the last evaluation has read.
    /// `token` is the claims of the viewer, and `failing` the value where the expression fails; without one, the view
    /// fails too.
    func values(
        in space: DescribedSpace, _ parameters: JSON, _ token: JSON = .null, failing: JSON? = nil
    ) -> Observable<JSON> {
        Observable<JSON>(madeBy: "expression") { [self] output in
            guard let graph = unsafe output.graph else { return }
            let joint = output.makeJoint()
            // The joint retains the reads.
            let reads = ViewReads(output, space, labels, indexes: indexes, every: every, hiding: hidden) {
                [weak joint] in
                if let joint { graph.schedule(joint) }
            }
            var frame = Array(repeating: ExpressionInput.json(.null), count: NamePlace.count)
            frame[NamePlace.state] = reads.state
            frame[NamePlace.given] = reads.given
            frame[NamePlace.index] = reads.index
            frame[NamePlace.input] = .json(parameters)
            frame[NamePlace.space] = .json(.string(space.name))
            frame[NamePlace.token] = .json(token)
            let others = OtherViews()
            var missing = views.count
            joint.run = {
                guard missing == 0 else { return }
                if !self.views.isEmpty { frame[NamePlace.views] = .json(.object(others.values)) }
                output.attempt {
                    var steps = 0
                    // A rule is bounded by the limits of one formula, and never fails because of other work.
                    if failing == nil, WorkAllowance.isSpent {
                        throw FormulaFailure(WorkShortage.words, at: self.formula.pointer)
                    }
                    defer { if failing == nil { WorkAllowance.spend(steps + 1) } }
                    let value = try reads.evaluate {
                        if let time = reads.time { frame[NamePlace.now] = time }
                        do throws(EvaluationFailure) {
                            return try self.formula.evaluate(frame, steps: &steps)
                        } catch {
                            if let failing { return failing }
                            throw FormulaFailure(self.formula.words(for: error), at: self.formula.pointer)
                        }
                    }
                    if let value, output.latest != value { output.emit(value) }
                }
            }
            for (label, name) in views {
                guard let source = space.views[name] else { continue }
                output.listen(to: source) { value in
                    if others.values[label] == nil { missing -= 1 }
                    others.values[label] = value
                    graph.schedule(joint)
                }
            }
            graph.schedule(joint)
        }
    }

    /// The values of the views that a view reads.
    private final class OtherViews {
        var values = JSON.Object()
    }
}
