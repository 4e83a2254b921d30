import StateStore

/// An empty view: each space shows the events of its own repositories in its feed.
struct ActivityViewModel: ViewModel {}
