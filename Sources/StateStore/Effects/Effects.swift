/// The effects of a feature. They run while the state has work for them, and change it only by performing actions.
///
/// An effect sees durable state only, of its space and of `common`: nothing is sent outside because of a commit that
/// may yet be undone.
public protocol Effects {}
