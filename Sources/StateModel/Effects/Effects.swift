/// The effects of a feature. They run while the state has work for them, and change it only by performing actions.
///
/// An effect sees only durable state, of its space and of `common`. So it never calls another server because of a
/// commit that may be lost.
public protocol Effects {}
