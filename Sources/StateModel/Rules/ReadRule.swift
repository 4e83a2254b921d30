package import JSON
public import Reactive

/// A rule that says who reads a view, or the views of a feature.
///
///     struct VaultViewModel: ViewModel {
///         let allow: ReadRule
///         let secret: Observable<String>
///
///         init(_ vault: VaultState) {
///             allow = ReadRule(reading: ["sub"]) { viewer in
///                 vault.members.row(viewer.subject ?? "").map { $0 != nil }
///             }
///             secret = vault.secret.map { $0 }
///         }
///     }
///
/// The store asks a rule once for all callers with the same claims, and follows its answer: when that becomes false,
/// the streams of these callers end. A rule without an answer, or that fails, is false.
public final class ReadRule {
    /// The claims that it reads.
    let claims: ClaimSet
    /// Returns the answer for a viewer and the parameters of a view.
    let allows: (Viewer, JSON) -> Observable<Bool>

    /// A rule that reads some claims of the caller; nil for all of them.
    public init(reading claims: [String]? = nil, _ allows: @escaping (Viewer) -> Observable<Bool>) {
        self.claims = ClaimSet(names: claims)
        self.allows = { viewer, _ in allows(viewer) }
    }

    /// A rule that also sees the parameters of the view, an object.
    package init(reading claims: [String]?, parameters allows: @escaping (Viewer, JSON) -> Observable<Bool>) {
        self.claims = ClaimSet(names: claims)
        self.allows = allows
    }

    /// The answer for a viewer, who is reduced to the claims that the rule reads.
    func answer(for viewer: Viewer, _ parameters: JSON) -> Observable<Bool> {
        allows(viewer.reduced(to: claims), parameters)
    }
}
