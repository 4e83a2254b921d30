import StateStore

/// Nothing is shown of all that anybody follows: each space shows what is its own, in its feed.
struct ActivityViewModel: ViewModel {}
